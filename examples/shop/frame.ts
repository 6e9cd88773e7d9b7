import { element } from './elements.ts';
import { count } from './format.ts';
import { query } from './graphql.ts';
import { say } from './language.ts';
import { subscribe } from './live.ts';
import { badges } from './notices.ts';
import { FrameDocument, type FrameQuery, NoticeChangesDocument, type NoticeHeadFragment } from './operations.ts';
import { categoryPath, NOTICES_PATH, noticePath } from './view.ts';

interface Slots {
  readonly shelves: Element;
  readonly noticeBar: HTMLElement;
  /** Takes the categories that the menu begins with. */
  readonly showMenu: (roots: FrameQuery['categories']) => void;
}

/** As many categories as stand beside the menu in a wide window. */
const FEW = 5;

/** Fills what stands around every page. Without an answer it stays as it is: the page itself tells what is wrong. */
export const refreshFrame = async ({ shelves, noticeBar, showMenu }: Slots, signal: AbortSignal): Promise<void> => {
  const frame = await query(FrameDocument, {}, signal).catch(() => undefined);
  if (signal.aborted || !frame) return;
  const { categories, noticePage } = frame;
  showMenu(categories);
  shelves.replaceChildren(
    ...categories.slice(0, FEW).map(({ id, name }) => {
      const isHere = location.pathname === categoryPath(id);
      return element('li', {}, element('a', { href: categoryPath(id), 'aria-current': isHere && 'page' }, name));
    }),
  );
  showNotices(noticeBar, noticePage.items[0], noticePage.total);
};

/** Keeps the notice bar up to date while the page is looked at. */
export const followNotices = (noticeBar: HTMLElement, signal: AbortSignal): void =>
  subscribe(NoticeChangesDocument, {}, signal, ({ notices }) => showNotices(noticeBar, notices[0], notices.length));

const showNotices = (noticeBar: HTMLElement, first: NoticeHeadFragment | undefined, total: number): void => {
  // What is read out to those who cannot see it is only what has changed.
  const state = JSON.stringify([first, total]);
  if (noticeBar.getAttribute('data-state') === state) return;
  noticeBar.setAttribute('data-state', state);
  noticeBar.hidden = !first;
  noticeBar.replaceChildren(
    ...(first
      ? [
          badges(first),
          element('a', { href: noticePath(first.id), class: 'title' }, first.title),
          element('a', { href: NOTICES_PATH, class: 'all' }, `${say('All notices')} (${count(total)})`),
        ]
      : []),
  );
};
