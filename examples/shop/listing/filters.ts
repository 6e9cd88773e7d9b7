import { element } from '../elements.ts';
import { count, money } from '../format.ts';
import type { CategoryLinkFragment, ProductListFragment } from '../operations.ts';
import { withParameter } from '../view.ts';
import type { Selection } from './selection.ts';

interface Options {
  readonly list: ProductListFragment;
  readonly selection: Selection;
  readonly search: URLSearchParams;
  /** To choose one of; where the page is of one already, there are none. */
  readonly categories?: readonly { readonly count: number; readonly category: CategoryLinkFragment }[];
}

const WIDE = '(min-width: 60rem)';

/** The filters of a list, each with the number of products that it leaves. A form: what is chosen goes into the address. */
export const filters = ({ list, selection, search, categories = [] }: Options): HTMLElement => {
  const { brands, tags, price, inStock, onSale } = list.facets;
  const form = element(
    'form',
    { class: 'facets', 'aria-label': 'Filters' },
    ...['q', 'order', 'min', 'max'].map((name) => {
      const value = search.get(name);
      return value !== null && element('input', { type: 'hidden', name, value });
    }),
    group(
      'Availability',
      choice('stock', '1', 'In stock', inStock, selection.inStock),
      choice('sale', '1', 'Reduced', onSale, selection.onSale),
    ),
    group(
      'Category',
      ...categories.map(({ category: { id, name }, count }) =>
        choice('category', String(id), name, count, selection.category === id, 'radio'),
      ),
    ),
    priceGroup(list, price?.bands ?? [], selection, search),
    group('Brand', ...values('brand', brands, selection.brands)),
    group('Tag', ...values('tag', tags, selection.tags)),
  );
  form.addEventListener('change', () => form.requestSubmit());
  const isOpen = matchMedia(WIDE).matches || document.querySelector('details.filters[open]') !== null;
  const chosen = activeCount(selection);
  return element(
    'details',
    { class: 'filters', open: isOpen },
    element('summary', {}, chosen === 0 ? 'Filters' : `Filters (${chosen})`),
    form,
  );
};

const group = (name: string, ...choices: readonly (HTMLElement | false)[]): HTMLElement | false =>
  choices.some(Boolean) && element('fieldset', {}, element('legend', {}, name), ...choices);

const choice = (
  name: string,
  value: string,
  label: string,
  products: number | undefined,
  checked: boolean,
  type = 'checkbox',
): HTMLElement | false =>
  (checked || products !== 0) &&
  element(
    'label',
    {},
    element('input', { type, name, value, checked }),
    element('span', {}, label),
    products !== undefined && element('span', { class: 'soft' }, count(products)),
  );

/** What the list has, and what is chosen and not among the first. */
const values = (
  name: string,
  facets: readonly { readonly value: string; readonly count: number }[],
  chosen: readonly string[],
): (HTMLElement | false)[] => {
  const missing = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  return [
    ...missing.map((value) => choice(name, value, value, undefined, true)),
    ...facets.map(({ value, count }) => choice(name, value, value, count, chosen.includes(value))),
  ];
};

type Band = NonNullable<ProductListFragment['facets']['price']>['bands'][number];

const priceGroup = (
  list: ProductListFragment,
  bands: readonly Band[],
  { minPrice, maxPrice }: Selection,
  search: URLSearchParams,
): HTMLElement | false => {
  const currencyCode = list.edges[0]?.node.price.currencyCode;
  if (bands.length < 2 && minPrice === null && maxPrice === null) return false;
  const links = bands.map(({ min, max, count: products }) => {
    const target = new URLSearchParams([...search].filter(([name]) => !['min', 'max', 'page'].includes(name)));
    target.set('min', min);
    target.set('max', max);
    const isHere = min === minPrice && max === maxPrice;
    return element(
      'a',
      { href: `${location.pathname}?${target}`, 'aria-current': isHere && 'true', class: 'band' },
      element('span', {}, priceRange(min, max, currencyCode)),
      element('span', { class: 'soft' }, count(products)),
    );
  });
  return group('Price', ...links);
};

const priceRange = (min: string | null, max: string | null, currencyCode: string | undefined): string => {
  const show = (amount: string): string => (currencyCode ? money({ amount, currencyCode }) : amount);
  if (min === null) return `up to ${show(max ?? '')}`;
  return max === null ? `from ${show(min)}` : `${show(min)} – ${show(max)}`;
};

const activeCount = ({ brands, tags, category, minPrice, maxPrice, inStock, onSale }: Selection): number =>
  brands.length + tags.length + [category !== undefined, minPrice ?? maxPrice, inStock, onSale].filter(Boolean).length;

/** The filters that are set, each a link that takes it away. */
export const activeFilters = ({ list, selection, search, categories = [] }: Options): HTMLElement | false => {
  if (activeCount(selection) === 0) return false;
  const { brands, tags, category, minPrice, maxPrice, inStock, onSale } = selection;
  const chip = (label: string, href: string) =>
    element(
      'li',
      {},
      element('a', { href, class: 'chip' }, element('span', { class: 'visually-hidden' }, 'Without '), label),
    );
  const each = (name: string, chosen: readonly string[]) =>
    chosen.map((value) => chip(value, withParameter(search, name, ...chosen.filter((other) => other !== value))));
  const named = categories.find(({ category: { id } }) => id === category)?.category.name;
  const withoutPrice = new URLSearchParams([...search].filter(([name]) => name !== 'max'));
  const words = search.get('q');
  const bare = words === null ? location.pathname : `${location.pathname}?${new URLSearchParams({ q: words })}`;
  return element(
    'ul',
    { class: 'chips', 'aria-label': 'Chosen filters' },
    category !== undefined && chip(named ?? 'Category', withParameter(search, 'category')),
    ...each('brand', brands),
    ...each('tag', tags),
    (minPrice ?? maxPrice) !== null &&
      chip(priceRange(minPrice, maxPrice, list.edges[0]?.node.price.currencyCode), withParameter(withoutPrice, 'min')),
    inStock && chip('In stock', withParameter(search, 'stock')),
    onSale && chip('Reduced', withParameter(search, 'sale')),
    element('li', {}, element('a', { href: bare }, 'Clear all')),
  );
};
