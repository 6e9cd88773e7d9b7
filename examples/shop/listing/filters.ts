import { element } from '../elements.ts';
import { attributeText, count, money } from '../format.ts';
import { say } from '../language.ts';
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
const OWN = ['Availability', 'Category', 'Price', 'Brand', 'Tag'].map((name) => say(name));

/**
 * What the filter of an option or an attribute is called. A product has its details from its page: an attribute that is called as another filter is told
 * apart by their heading there. To choose of both has to fit both, so they are no one filter.
 */
const titleOf = (
  label: string,
  kind: 'choice' | 'details',
  others: readonly { readonly label: string }[] = [],
): string => {
  const taken = [...OWN, ...others.map((other) => other.label)].map((each) => each.toLowerCase());
  return taken.includes(label.toLowerCase()) ? `${label} (${say(kind)})` : label;
};

/** The filters of a list, each with the number of products that it leaves. A form: what is chosen goes into the address. */
export const filters = ({ list, selection, search, categories = [] }: Options): HTMLElement => {
  const { brands, tags, price, inStock, onSale, options, attributes } = list.facets;
  const shownOptions = withMissing(options, selection.options);
  const form = element(
    'form',
    { class: 'facets', 'aria-label': say('Filters') },
    ...['q', 'order', 'min', 'max'].map((name) => {
      const value = search.get(name);
      return value !== null && element('input', { type: 'hidden', name, value });
    }),
    group(
      say('Availability'),
      choice('stock', '1', say('In stock'), inStock, selection.inStock),
      choice('sale', '1', say('Reduced'), onSale, selection.onSale),
    ),
    group(
      say('Category'),
      ...categories.map(({ category: { id, name }, count }) =>
        choice('category', String(id), name, count, selection.category === id, 'radio'),
      ),
    ),
    priceGroup(list, price?.bands ?? [], selection, search),
    group(say('Brand'), ...values('brand', brands, selection.brands)),
    ...shownOptions.map(({ name, label, values: facets }) =>
      group(titleOf(label, 'choice'), ...values(OPTION + name, facets, chosenOf(selection.options, name))),
    ),
    ...withMissing(attributes, selection.attributes, selection.bounds).map((facet) => {
      const { name, label } = facet;
      const bounds = selection.bounds.find((each) => each.name === name);
      const title = titleOf(label, 'details', shownOptions);
      const isNumber = bounds !== undefined || facet.min !== null;
      if (isNumber) return range(title, facet, bounds);
      return group(
        title,
        ...values(ATTRIBUTE + name, facet.values, chosenOf(selection.attributes, name), attributeText),
      );
    }),
    group(say('Tag'), ...values('tag', tags, selection.tags)),
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
    element('summary', {}, chosen === 0 ? say('Filters') : `${say('Filters')} (${chosen})`),
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
        element(
          'details',
          { open: isOpen },
          element('summary', {}, say('{n} more', { n: count(more.length) })),
          ...more,
        ),
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
  facets: readonly ShownValue[],
  chosen: readonly string[],
  toText = (label: string): string => label,
): (HTMLElement | false)[] => {
  const missing = chosen.filter((value) => !facets.some((facet) => facet.value === value));
  return [
    ...missing.map((value) => choice(name, value, toText(value), undefined, true)),
    ...facets.map(({ value, label, count }) => choice(name, value, toText(label), count, chosen.includes(value))),
  ];
};

const chosenOf = (chosen: readonly Chosen[], name: string): readonly string[] =>
  chosen.find((each) => each.name === name)?.values ?? [];

interface ShownValue {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

const labelOf = (facets: readonly FacetFragment[], name: string): string =>
  facets.find((facet) => facet.name === name)?.label ?? name;

const valueLabelOf = (values: readonly ShownValue[] = [], value: string): string =>
  values.find((each) => each.value === value)?.label ?? value;

/** The facets, and those that are chosen and not among the first. */
const withMissing = (
  facets: readonly FacetFragment[],
  ...chosen: readonly (readonly { readonly name: string }[])[]
): FacetFragment[] => {
  const missing = new Set(chosen.flat().map(({ name }) => name));
  for (const { name } of facets) missing.delete(name);
  return [...facets, ...[...missing].map((name) => ({ name, label: name, min: null, max: null, values: [] }))];
};

/** The fields for the least and the greatest number; none where all products have the same. */
const range = (title: string, { name, min, max }: FacetFragment, bounds: Bounds | undefined): HTMLElement | false => {
  const field = (beginning: string, label: string, limit: string | null, value: string | null | undefined) =>
    element('input', {
      type: 'number',
      step: 'any',
      name: beginning + name,
      'aria-label': `${title}, ${say(label)}`,
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
        element('button', { name: `apply.${name}`, 'aria-label': `${say('Apply')} ${title}` }, say('Apply')),
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
  return group(say('Price'), ...links);
};

const between = (min: string | null, max: string | null): string => {
  if (min === null) return say('up to {max}', { max: max ?? '' });
  return max === null ? say('from {min}', { min }) : `${min} – ${max}`;
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
      element('a', { href, class: 'chip' }, element('span', { class: 'visually-hidden' }, `${say('Without')} `), label),
    );
  const each = (name: string, chosen: readonly string[], label: (value: string) => string) =>
    chosen.map((value) =>
      chip(label(value), withParameter(search, name, ...chosen.filter((other) => other !== value))),
    );
  const { tags: tagFacets, options: optionFacets, attributes: attributeFacets } = list.facets;
  const shownOptions = withMissing(optionFacets, options);
  const titleOfOption = (name: string) => titleOf(labelOf(optionFacets, name), 'choice');
  const titleOfAttribute = (name: string) => titleOf(labelOf(attributeFacets, name), 'details', shownOptions);
  const labelOfValue = (facets: readonly FacetFragment[], name: string, value: string) =>
    valueLabelOf(facets.find((facet) => facet.name === name)?.values, value);
  const named = categories.find(({ category: { id } }) => id === category)?.category.name;
  const without = (parameter: string) => new URLSearchParams([...search].filter(([name]) => name !== parameter));
  const words = search.get('q');
  const bare = words === null ? location.pathname : `${location.pathname}?${new URLSearchParams({ q: words })}`;
  return element(
    'ul',
    { class: 'chips', 'aria-label': say('Chosen filters') },
    category !== undefined && chip(named ?? say('Category'), withParameter(search, 'category')),
    ...each('brand', brands, (brand) => brand),
    ...each('tag', tags, (tag) => valueLabelOf(tagFacets, tag)),
    (minPrice ?? maxPrice) !== null &&
      chip(
        priceRange(minPrice, maxPrice, list.edges[0]?.node.price.currencyCode),
        withParameter(without('max'), 'min'),
      ),
    ...options.flatMap(({ name, values }) =>
      each(OPTION + name, values, (value) => `${titleOfOption(name)}: ${labelOfValue(optionFacets, name, value)}`),
    ),
    ...attributes.flatMap(({ name, values }) =>
      each(
        ATTRIBUTE + name,
        values,
        (value) => `${titleOfAttribute(name)}: ${attributeText(labelOfValue(attributeFacets, name, value))}`,
      ),
    ),
    ...bounds.map(({ name, min, max }) =>
      chip(`${titleOfAttribute(name)}: ${between(min, max)}`, withParameter(without(MAX + name), MIN + name)),
    ),
    inStock && chip(say('In stock'), withParameter(search, 'stock')),
    onSale && chip(say('Reduced'), withParameter(search, 'sale')),
    element('li', {}, element('a', { href: bare }, say('Clear all'))),
  );
};
