import { element } from '../elements.ts';
import { count } from '../format.ts';
import { say } from '../language.ts';
import type { CategoryLinkFragment, ProductListFragment } from '../operations.ts';
import { pagination } from '../pagination.ts';
import { foundGrid } from '../products.ts';
import { activeFilters, filters } from './filters.ts';
import { LAST_PAGE, ORDER_NAMES, type Selection } from './selection.ts';

interface Options {
  readonly list: ProductListFragment;
  readonly selection: Selection;
  readonly search: URLSearchParams;
  readonly categories?: readonly { readonly count: number; readonly category: CategoryLinkFragment }[];
}

/** A list of products: filters beside, the order above, pages below. */
export const listing = (options: Options): HTMLElement => {
  const { list, selection, search } = options;
  const { totalCount, pageCount, correctedSearch, edges } = list;
  return element(
    'div',
    { class: 'listing' },
    filters(options),
    element(
      'div',
      {},
      correctedSearch !== null &&
        element(
          'p',
          { class: 'over' },
          say('Nothing has “{words}”. This is what has “', { words: selection.words }),
          element('strong', {}, correctedSearch),
          say('”.'),
        ),
      element(
        'div',
        { class: 'head' },
        element(
          'p',
          { class: 'soft', role: 'status' },
          totalCount === 1 ? say('1 product') : say('{n} products', { n: count(totalCount) }),
        ),
        orderPicker(selection, search),
      ),
      activeFilters(options),
      element('h2', { class: 'visually-hidden' }, say('Products')),
      edges.length > 0
        ? foundGrid(edges)
        : element(
            'p',
            { class: 'empty' },
            say(totalCount === 0 ? 'No product is like that.' : 'There are not so many pages.'),
          ),
      pagination(selection.page, Math.min(pageCount, LAST_PAGE), search),
    ),
  );
};

/** A form that needs no script of its own: what is chosen goes into the address, and the address decides. */
const orderPicker = ({ orderBy, words }: Selection, search: URLSearchParams): HTMLElement => {
  const options = Object.entries(ORDER_NAMES)
    .filter(([value]) => words !== '' || value !== 'RELEVANCE')
    .map(([value, label]) => element('option', { value, selected: value === orderBy }, say(label)));
  const others = [...search].filter(([name]) => name !== 'order' && name !== 'page');
  const form = element(
    'form',
    {},
    ...others.map(([name, value]) => element('input', { type: 'hidden', name, value })),
    element('label', {}, `${say('Order')} `, element('select', { name: 'order' }, ...options)),
  );
  form.addEventListener('change', () => form.requestSubmit());
  return form;
};
