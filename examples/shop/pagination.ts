import { element } from './elements.ts';
import { count } from './format.ts';
import { say } from './language.ts';

/** The first page, the last, and those around this one. */
const shownPages = (page: number, pageCount: number): number[] =>
  [...new Set([1, page - 1, page, page + 1, pageCount])].filter((each) => each >= 1 && each <= pageCount);

/** Links to the other pages of a list; none where it has one page. */
export const pagination = (page: number, pageCount: number, search: URLSearchParams): HTMLElement | false => {
  if (pageCount < 2) return false;
  const href = (number: number): string => {
    const target = new URLSearchParams([...search].filter(([name]) => name !== 'page'));
    if (number > 1) target.set('page', String(number));
    return target.size > 0 ? `${location.pathname}?${target}` : location.pathname;
  };
  const step = (number: number, label: string, relation: string) =>
    number < 1 || number > pageCount
      ? element('span', { class: 'soft' }, label)
      : element('a', { href: href(number), rel: relation }, label);
  const numbers = shownPages(page, pageCount).flatMap((number, index, all) => [
    number - (all[index - 1] ?? 0) > 1 && element('li', { 'aria-hidden': 'true' }, '…'),
    element(
      'li',
      {},
      element(
        'a',
        { href: href(number), 'aria-label': say('Page {n}', { n: number }), 'aria-current': number === page && 'page' },
        count(number),
      ),
    ),
  ]);
  return element(
    'nav',
    { class: 'pages', 'aria-label': say('Pages') },
    step(Math.min(page - 1, pageCount), say('← Previous'), 'prev'),
    element('ol', {}, ...numbers),
    step(page + 1, say('Next →'), 'next'),
  );
};
