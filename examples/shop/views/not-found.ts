import { element } from '../elements.ts';
import { BASE, type View } from '../view.ts';

/** @param what is not there, in a word */
export const notFoundView = (what: string): View => ({
  title: 'Not found',
  content: element(
    'div',
    {},
    element('h1', {}, `There is no such ${what}`),
    element('p', {}, 'It may be gone, or the address has a slip in it.'),
    element('p', {}, element('a', { href: BASE }, 'To the start page')),
  ),
});
