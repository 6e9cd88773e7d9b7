import type { Call } from '../workloads/workload.ts';
import { BRANDS, CATEGORIES, COLOURS, MATERIALS, SIZES, TAGS, wordOf } from './database.ts';

/** A kind of question, and how soon it is to be answered at a million products. */
export interface Kind {
  readonly title: string;
  readonly goalMs: number;
  readonly next: () => Call;
}

export const random = (below: number): number => Math.floor(Math.random() * below);
const oneOf = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;
/** As products have them: the lower the number, the more frequent. */
export const skewed = (count: number): number => 1 + Math.floor(count * Math.random() ** 2);

const ORDERS = ['BEST_SELLING', 'NEWEST', 'PRICE_ASC', 'PRICE_DESC', 'NAME_ASC'];
const NODES = 'totalCount nodes { id name price { amount } } pageInfo { hasNextPage endCursor }';
const FACETS = `facets { categories { count category { name } } brands { value count } tags { value count } price { min max bands { min max count } } inStock onSale
   attributes { name min max values { value count } } options { name values { value count } } }`;

const ask = (query: string, variables: Readonly<Record<string, unknown>>): Call => ({
  method: 'POST',
  target: '/graphql',
  body: JSON.stringify({ query, variables }),
});

const page = (variables: Readonly<Record<string, unknown>>, more = ''): Call =>
  ask(
    `query($search: String, $filter: ProductFilter, $orderBy: ProductSearchOrder, $page: Int) {
       productSearch(search: $search, filter: $filter, orderBy: $orderBy, page: $page, pageSize: 20) { ${NODES} ${more} } }`,
    variables,
  );

const FILTERS: readonly (() => object)[] = [
  () => ({ categoryIds: [skewed(CATEGORIES)] }),
  () => ({ categoryIds: [skewed(CATEGORIES), skewed(CATEGORIES)], inStock: true }),
  () => ({ brands: [`Brand ${skewed(BRANDS)}`, `Brand ${skewed(BRANDS)}`] }),
  () => ({ tags: [`tag ${skewed(TAGS)}`] }),
  () => ({ categoryIds: [skewed(CATEGORIES)], minPrice: '5', maxPrice: '50', onSale: true }),
  () => ({ minPrice: '10', maxPrice: '20.50', inStock: true }),
  () => ({
    attributes: [{ name: 'Material', values: [`Material ${skewed(MATERIALS)}`, `Material ${skewed(MATERIALS)}`] }],
  }),
  () => ({
    attributes: [
      { name: 'Weight', min: '5', max: '20' },
      { name: 'Washable', values: ['true'] },
    ],
  }),
  () => ({
    options: [
      { name: 'Size', values: [oneOf(SIZES)] },
      { name: 'Colour', values: [`Colour ${skewed(COLOURS)}`] },
    ],
    inStock: true,
  }),
];

/** Neither the most frequent words nor such as nobody has. */
const ordinaryWord = (): string => wordOf(30 + Math.floor(Math.exp(Math.random() * Math.log(10_000))));
const code = (): Call => page({ search: `sku-${1 + random(5000)}-${1 + random(3)}` });
const search = (words: readonly string[]): Call => page({ search: words.join(' ') }, FACETS);

export const KINDS: readonly Kind[] = [
  {
    title: 'a filtered page, with its total',
    goalMs: 10,
    next: () => page({ filter: oneOf(FILTERS)(), orderBy: oneOf(ORDERS), page: 1 + random(5) }),
  },
  {
    title: 'a page of all products, with the total',
    goalMs: 10,
    next: () => page({ orderBy: oneOf(ORDERS), page: 1 + random(5) }),
  },
  {
    title: 'a filtered page, with all facets',
    goalMs: 30,
    next: () => page({ filter: oneOf(FILTERS)(), orderBy: oneOf(ORDERS) }, FACETS),
  },
  {
    title: 'one to three ordinary words, with all facets',
    goalMs: 50,
    next: () => search(Array.from({ length: 1 + random(3) }, ordinaryWord)),
  },
  {
    title: 'the commonest word, with all facets',
    goalMs: 300,
    next: () => search([oneOf([wordOf(1), wordOf(2), 'k', 'l', 'm', 's', wordOf(1)])]),
  },
  { title: 'the code of a variant', goalMs: 10, next: code },
  {
    title: 'a suggestion',
    goalMs: 5,
    next: () =>
      ask('query($prefix: String!) { searchSuggestions(prefix: $prefix) { text kind } }', {
        prefix: ordinaryWord().slice(0, 1 + random(5)),
      }),
  },
];
