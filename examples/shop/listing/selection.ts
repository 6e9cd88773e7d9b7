import type { ProductFilter, ProductSearchOrder } from '../operations.ts';
import { OPTION, pageNumber } from '../view.ts';

/** What the names of parameters begin with: `attribute.Material=Wool&min.Weight=100`. The name of the attribute follows. */
export const ATTRIBUTE = 'attribute.';
export const MIN = 'min.';
export const MAX = 'max.';

export const ORDER_NAMES: Readonly<Record<ProductSearchOrder, string>> = {
  RELEVANCE: 'Best match',
  BEST_SELLING: 'Best selling',
  NEWEST: 'Newest',
  PRICE_ASC: 'Price, lowest first',
  PRICE_DESC: 'Price, highest first',
  NAME_ASC: 'Name',
};

const isOrder = (text: string | null): text is ProductSearchOrder => text !== null && Object.hasOwn(ORDER_NAMES, text);

/** The API pages by number as far as row 10,000, and a page of the shop has 24. */
export const LAST_PAGE = 416;

/** Values that are chosen of an option or an attribute. */
export interface Chosen {
  readonly name: string;
  readonly values: readonly string[];
}

/** Between which numbers an attribute has to be. */
export interface Bounds {
  readonly name: string;
  readonly min: string | null;
  readonly max: string | null;
}

/** What the address asks a list of products for. */
export interface Selection {
  readonly words: string;
  readonly brands: readonly string[];
  readonly tags: readonly string[];
  readonly category: number | undefined;
  readonly minPrice: string | null;
  readonly maxPrice: string | null;
  readonly inStock: boolean;
  readonly onSale: boolean;
  readonly options: readonly Chosen[];
  readonly attributes: readonly Chosen[];
  readonly bounds: readonly Bounds[];
  readonly orderBy: ProductSearchOrder;
  readonly page: number;
}

const amount = (text: string | null): string | null =>
  text !== null && /^\d{1,12}(\.\d{1,2})?$/.test(text) ? text : null;

const number = (text: string | null): string | null =>
  text !== null && /^-?\d{1,12}(\.\d{1,6})?$/.test(text) ? text : null;

/** The names that follow a beginning, in the order of the address. */
const namesAfter = (search: URLSearchParams, ...beginnings: readonly string[]): string[] => [
  ...new Set(
    beginnings.flatMap((beginning) =>
      [...search.keys()].filter((key) => key.startsWith(beginning)).map((key) => key.slice(beginning.length)),
    ),
  ),
];

const readChosen = (search: URLSearchParams, beginning: string): Chosen[] =>
  namesAfter(search, beginning).map((name) => ({ name, values: search.getAll(beginning + name) }));

const readBounds = (search: URLSearchParams): Bounds[] =>
  namesAfter(search, MIN, MAX)
    .map((name) => ({ name, min: number(search.get(MIN + name)), max: number(search.get(MAX + name)) }))
    .filter(({ min, max }) => (min ?? max) !== null);

export const readSelection = (search: URLSearchParams): Selection => {
  const words = search.get('q')?.trim() ?? '';
  const order = search.get('order');
  const category = search.get('category') ?? '';
  return {
    words,
    brands: search.getAll('brand'),
    tags: search.getAll('tag'),
    category: /^\d{1,9}$/.test(category) ? Number(category) : undefined,
    minPrice: amount(search.get('min')),
    maxPrice: amount(search.get('max')),
    inStock: search.get('stock') === '1',
    onSale: search.get('sale') === '1',
    options: readChosen(search, OPTION),
    attributes: readChosen(search, ATTRIBUTE),
    bounds: readBounds(search),
    orderBy: isOrder(order) ? order : words === '' ? 'BEST_SELLING' : 'RELEVANCE',
    page: pageNumber(search, LAST_PAGE),
  };
};

/** The variables of a list. @param category that the list is of, whatever the address says */
export const toVariables = (selection: Selection, category = selection.category) => {
  const { words, brands, tags, minPrice, maxPrice, inStock, onSale, options, orderBy, page } = selection;
  const attributes = [...selection.attributes, ...selection.bounds];
  const filter: ProductFilter = {
    ...(category === undefined ? {} : { categoryIds: [category] }),
    ...(brands.length > 0 ? { brands } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(minPrice === null ? {} : { minPrice }),
    ...(maxPrice === null ? {} : { maxPrice }),
    ...(inStock ? { inStock } : {}),
    ...(onSale ? { onSale } : {}),
    ...(options.length > 0 ? { options } : {}),
    ...(attributes.length > 0 ? { attributes } : {}),
  };
  return { search: words === '' ? null : words, filter, orderBy, page };
};
