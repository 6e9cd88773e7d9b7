import { element } from '../elements.ts';
import { attributeText, count, money } from '../format.ts';
import type { CategoryLinkFragment, FacetFragment, ProductListFragment } from '../operations.ts';
import { OPTION, withParameter } from '../view.ts';
import { ATTRIBUTE, type Bounds, type Chosen, MAX, MIN, type Selection } from './selection.ts';

interface Options {
  readonly list: ProductListFragment;
  readonly selection: Selection;
  readonly search: URLSearchParams;
  /** To choose one of; where the page is of one already, there are none. */
  readonly categories?: readonly { readonly count: number; readonly category: CategoryLinkFragment }[];
}

const WIDE = '(min-width: 60rem)';

/** As many choices as a filter shows at once. */
const FEW = 12;

/** What the filters are called that every catalogue has. */
const OWN = ['Availability', 'Category', 'Price', 'Brand', 'Tag'];

/**
 * What the filter of an option or an attribute is called. A product has its details from its page: an attribute that is called as another filter is told
 * apart by their heading there. To choose of both has to fit both, so they are no one filter.
 */
const titleOf = (
  name: string,
  kind: 'choice' | 'details',
  others: readonly { readonly name: string }[] = [],
): string => {
  const taken = [...OWN, ...others.map((other) => other.name)].map((each) => each.toLowerCase());
  return taken.includes(name.toLowerCase()) ? `${name} (${kind})` : name;
};

/** The filters of a list, each with the number of products that it leaves. A form: what is chosen goes into the address. */
export const filters = ({ list, selection, search, categories = [] }: Options): HTMLElement => {
  const { brands, tags, price, inStock, onSale, options, attributes } = list.facets;
  const shownOptions = withMissing(options, selection.options);
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
    ...shownOptions.map(({ name, values: facets }) =>
      group(titleOf(name, 'choice'), ...values(OPTION + name, facets, chosenOf(selection.options, name))),
    ),
    ...withMissing(attributes, selection.attributes, selection.bounds).map((facet) => {
      const { name } = facet;
      const bounds = selection.bounds.find((each) => each.name === name);
      const title = titleOf(name, 'details', shownOptions);
      const isNumber = bounds !== undefined || facet.min !== null;
      if (isNumber) return range(title, facet, bounds);
      return group(
        title,
        ...values(ATTRIBUTE + name, facet.values, chosenOf(selection.attributes, name), attributeText),
      );
    }),
    group('Tag', ...values('tag', tags, selection.tags)),
  );
  // Numbers wait until both are there.
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof Element && target.matches('[type=number]'))) form.requestSubmit();
  });
  const isOpen = matchMedia(WIDE).matches || document.querySelector('details.filters[open]') !== null;
  const chosen = activeCount(selection);
  return element(
    'details',
    { class: 'filters', open: isOpen },
    element('summary', {}, chosen === 0 ? 'Filters' : `Filters (${chosen})`),
    form,
  );
};

/** The first choices, and the others on demand. */
const group = (name: string, ...choices: readonly (HTMLElement | false)[]): HTMLElement | false => {
  const shown = choices.filter((each) => each !== false);
  const [few, more] = [shown.slice(0, FEW), shown.slice(FEW)];
  const isOpen =
    more.some((each) => each.querySelector(':checked')) ||
    [...document.querySelectorAll('.facets fieldset:has(details[open]) legend')].some(
      (each) => each.textContent === name,
    );
  return (
    few.length > 0 &&
    element(
      'fieldset',
      {},
      element('legend', {}, name),
      ...few,
      more.length > 0 &&
        element('details', { open: isOpen }, element('summary', {}, `${count(more.length)} more`), ...more),
    )
  );
};

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
  label = (value: string): string => value,
): (HTMLElement | false)[] => {
  const missing = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  return [
    ...missing.map((value) => choice(name, value, label(value), undefined, true)),
    ...facets.map(({ value, count }) => choice(name, value, label(value), count, chosen.includes(value))),
  ];
};

const chosenOf = (chosen: readonly Chosen[], name: string): readonly string[] =>
  chosen.find((each) => each.name === name)?.values ?? [];

/** The facets, and those that are chosen and not among the first. */
const withMissing = (
  facets: readonly FacetFragment[],
  ...chosen: readonly (readonly { readonly name: string }[])[]
): FacetFragment[] => {
  const missing = new Set(chosen.flat().map(({ name }) => name));
  for (const { name } of facets) missing.delete(name);
  return [...facets, ...[...missing].map((name) => ({ name, min: null, max: null, values: [] }))];
};

/** The fields for the least and the greatest number; none where all products have the same. */
const range = (title: string, { name, min, max }: FacetFragment, bounds: Bounds | undefined): HTMLElement | false => {
  const field = (beginning: string, label: string, limit: string | null, value: string | null | undefined) =>
    element('input', {
      type: 'number',
      step: 'any',
      name: beginning + name,
      'aria-label': `${title}, ${label}`,
      placeholder: limit === null ? null : String(Number(limit)),
      value: value ?? null,
    });
  return (
    (bounds !== undefined || min !== max) &&
    group(
      title,
      element(
        'div',
        { class: 'range' },
        field(MIN, 'at least', min, bounds?.min),
        ' – ',
        field(MAX, 'at most', max, bounds?.max),
        // Its name keeps the focus where it is; what is sent has no buttons.
        element('button', { name: `apply.${name}`, 'aria-label': `Apply ${title}` }, 'Apply'),
      ),
    )
  );
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

const between = (min: string | null, max: string | null): string => {
  if (min === null) return `up to ${max}`;
  return max === null ? `from ${min}` : `${min} – ${max}`;
};

const priceRange = (min: string | null, max: string | null, currencyCode: string | undefined): string => {
  const show = (amount: string | null): string | null =>
    amount !== null && currencyCode ? money({ amount, currencyCode }) : amount;
  return between(show(min), show(max));
};

const activeCount = ({ options, attributes, bounds, ...selection }: Selection): number => {
  const { brands, tags, category, minPrice, maxPrice, inStock, onSale } = selection;
  const chosen = [...options, ...attributes].flatMap(({ values }) => values);
  return [
    ...brands,
    ...tags,
    ...chosen,
    ...bounds,
    category !== undefined,
    minPrice ?? maxPrice,
    inStock,
    onSale,
  ].filter(Boolean).length;
};

/** The filters that are set, each a link that takes it away. */
export const activeFilters = ({ list, selection, search, categories = [] }: Options): HTMLElement | false => {
  if (activeCount(selection) === 0) return false;
  const { brands, tags, category, minPrice, maxPrice, inStock, onSale, options, attributes, bounds } = selection;
  const chip = (label: string, href: string) =>
    element(
      'li',
      {},
      element('a', { href, class: 'chip' }, element('span', { class: 'visually-hidden' }, 'Without '), label),
    );
  const each = (name: string, chosen: readonly string[], label = (value: string): string => value) =>
    chosen.map((value) =>
      chip(label(value), withParameter(search, name, ...chosen.filter((other) => other !== value))),
    );
  const titleOfAttribute = (name: string) => titleOf(name, 'details', withMissing(list.facets.options, options));
  const named = categories.find(({ category: { id } }) => id === category)?.category.name;
  const without = (parameter: string) => new URLSearchParams([...search].filter(([name]) => name !== parameter));
  const words = search.get('q');
  const bare = words === null ? location.pathname : `${location.pathname}?${new URLSearchParams({ q: words })}`;
  return element(
    'ul',
    { class: 'chips', 'aria-label': 'Chosen filters' },
    category !== undefined && chip(named ?? 'Category', withParameter(search, 'category')),
    ...each('brand', brands),
    ...each('tag', tags),
    (minPrice ?? maxPrice) !== null &&
      chip(
        priceRange(minPrice, maxPrice, list.edges[0]?.node.price.currencyCode),
        withParameter(without('max'), 'min'),
      ),
    ...options.flatMap(({ name, values }) =>
      each(OPTION + name, values, (value) => `${titleOf(name, 'choice')}: ${value}`),
    ),
    ...attributes.flatMap(({ name, values }) =>
      each(ATTRIBUTE + name, values, (value) => `${titleOfAttribute(name)}: ${attributeText(value)}`),
    ),
    ...bounds.map(({ name, min, max }) =>
      chip(`${titleOfAttribute(name)}: ${between(min, max)}`, withParameter(without(MAX + name), MIN + name)),
    ),
    inStock && chip('In stock', withParameter(search, 'stock')),
    onSale && chip('Reduced', withParameter(search, 'sale')),
    element('li', {}, element('a', { href: bare }, 'Clear all')),
  );
};
