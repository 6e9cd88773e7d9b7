import { element } from './elements.ts';
import { count } from './format.ts';
import { query } from './graphql.ts';
import { badges } from './notices.ts';
import { FrameDocument, type FrameQuery } from './operations.ts';
import { categoryPath, NOTICES_PATH, noticePath } from './view.ts';

interface Slots {
  readonly menu: Element;
  readonly noticeBar: HTMLElement;
}

/** Fills what stands around every page. Without an answer it stays as it is: the page itself tells what is wrong. */
export const refreshFrame = async ({ menu, noticeBar }: Slots, signal: AbortSignal): Promise<void> => {
  const frame = await query(FrameDocument, {}, signal).catch(() => undefined);
  if (signal.aborted) return;
  if (frame) {
    menu.replaceChildren(...menuItems(frame));
    noticeBar.replaceChildren(...noticeLine(frame));
  }
  // Shown empty until the first answer, so that the page below does not move when a notice comes.
  noticeBar.hidden = noticeBar.childElementCount === 0;
};

const menuItems = ({ categories }: FrameQuery): HTMLElement[] => {
  const shelves = categories.flatMap((root) => (root.children.length > 0 ? root.children : [root]));
  return shelves.map(({ id, name }) => {
    const isHere = location.pathname === categoryPath(id);
    return element('li', {}, element('a', { href: categoryPath(id), 'aria-current': isHere && 'page' }, name));
  });
};

const noticeLine = ({ noticePage: { total, items } }: FrameQuery): HTMLElement[] => {
  const [first] = items;
  if (!first) return [];
  return [
    badges(first),
    element('a', { href: noticePath(first.id), class: 'title' }, first.title),
    element('a', { href: NOTICES_PATH, class: 'all' }, `All notices (${count(total)})`),
  ];
};
