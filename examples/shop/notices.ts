import { element } from './elements.ts';
import { say } from './language.ts';
import type { NoticeHeadFragment, NoticeLevel, NoticeType } from './operations.ts';

export const TYPE_NAMES: Readonly<Record<NoticeType, string>> = {
  ANNOUNCEMENT: 'News',
  PROMOTION: 'Offer',
  MAINTENANCE: 'Service',
};

const LEVEL_NAMES: Readonly<Record<NoticeLevel, string | undefined>> = {
  NORMAL: undefined,
  IMPORTANT: 'Important',
  URGENT: 'Urgent',
};

/** What kind of notice it is, and how much it matters. */
export const badges = ({ type, level }: Pick<NoticeHeadFragment, 'type' | 'level'>): HTMLElement => {
  const levelName = LEVEL_NAMES[level];
  return element(
    'span',
    { class: 'badges' },
    element('span', { class: 'badge' }, say(TYPE_NAMES[type])),
    levelName !== undefined && element('span', { class: `badge ${level.toLowerCase()}` }, say(levelName)),
  );
};
