import { element } from '../elements.ts';
import { BASE, say } from '../language.ts';
import type { View } from '../view.ts';

/** @param what is not there, in a word */
export const notFoundView = (what: string): View => ({
  title: say('Not found'),
  content: element(
    'div',
    {},
    element('h1', {}, say(`There is no such ${what}`)),
    element('p', {}, say('It may be gone, or the address has a slip in it.')),
    element('p', {}, element('a', { href: BASE }, say('To the start page'))),
  ),
});
