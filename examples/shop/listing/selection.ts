import type { ProductFilter, ProductSearchOrder } from '../operations.ts';
import { pageNumber } from '../view.ts';

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
  readonly orderBy: ProductSearchOrder;
  readonly page: number;
}

const amount = (text: string | null): string | null =>
  text !== null && /^\d{1,12}(\.\d{1,2})?$/.test(text) ? text : null;

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
    orderBy: isOrder(order) ? order : words === '' ? 'BEST_SELLING' : 'RELEVANCE',
    page: pageNumber(search, LAST_PAGE),
  };
};

/** The variables of a list. @param category that the list is of, whatever the address says */
export const toVariables = (selection: Selection, category = selection.category) => {
  const { words, brands, tags, minPrice, maxPrice, inStock, onSale, orderBy, page } = selection;
  const filter: ProductFilter = {
    ...(category === undefined ? {} : { categoryIds: [category] }),
    ...(brands.length > 0 ? { brands } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(minPrice === null ? {} : { minPrice }),
    ...(maxPrice === null ? {} : { maxPrice }),
    ...(inStock ? { inStock } : {}),
    ...(onSale ? { onSale } : {}),
  };
  return { search: words === '' ? null : words, filter, orderBy, page };
};
