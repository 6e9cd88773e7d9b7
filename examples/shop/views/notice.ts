import { element } from '../elements.ts';
import { count, moment } from '../format.ts';
import { query } from '../graphql.ts';
import { say } from '../language.ts';
import { badges } from '../notices.ts';
import { NoticeDocument } from '../operations.ts';
import { plainText } from '../text.ts';
import { type MakeView, NOTICES_PATH } from '../view.ts';
import { notFoundView } from './not-found.ts';

export const noticeView: MakeView = async ({ id }, signal) => {
  const { notice } = await query(NoticeDocument, { id }, signal);
  if (!notice) return notFoundView('notice');

  const { title, summary, content, startsAt, endsAt, inEffect, viewCount } = notice;
  return {
    title,
    content: element(
      'article',
      { class: 'notice' },
      badges(notice),
      element('h1', {}, title),
      !inEffect && element('p', { class: 'over' }, say('This notice is over.')),
      summary !== null && element('p', { class: 'lead' }, plainText(summary)),
      element('p', { class: 'text' }, plainText(content)),
      element(
        'p',
        { class: 'soft' },
        moment(startsAt),
        ...(endsAt === null ? [] : [' – ', moment(endsAt)]),
        ` · ${viewCount === 1 ? say('read once') : say('read {n} times', { n: count(viewCount) })}`,
      ),
      element('p', {}, element('a', { href: NOTICES_PATH }, say('All notices'))),
    ),
  };
};
