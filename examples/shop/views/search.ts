import { element } from '../elements.ts';
import { query } from '../graphql.ts';
import { say } from '../language.ts';
import { listing } from '../listing/listing.ts';
import { readSelection, toVariables } from '../listing/selection.ts';
import { SearchDocument } from '../operations.ts';
import type { MakeView } from '../view.ts';
import { trail } from './trail.ts';

export const searchView: MakeView = async ({ search }, signal) => {
  const selection = readSelection(search);
  const { productSearch } = await query(SearchDocument, toVariables(selection), signal);
  const heading =
    selection.words === '' ? say('All products') : say('Results for “{words}”', { words: selection.words });
  return {
    title: heading,
    content: element(
      'div',
      {},
      trail(),
      element('h1', {}, heading),
      listing({ list: productSearch, selection, search, categories: productSearch.facets.categories }),
    ),
  };
};
