import { AppError } from '../errors.ts';
import { boundsOf, type Price } from './amount.ts';
import type { Json } from './catalog.ts';
import * as catalog from './catalog.ts';
import { relax, type Selected, selectedOf, valuesBeside } from './selection.ts';

interface Filters {
  readonly categories?: readonly string[];
  readonly price?: { readonly min?: number; readonly max?: number };
}

export interface AnyRequest {
  readonly context?: { readonly currency?: string; readonly language?: string };
  readonly filters?: Filters;
}

interface SearchRequest extends AnyRequest {
  readonly query?: string;
  readonly pagination?: { readonly cursor?: string; readonly limit?: number };
}

type LookupRequest = AnyRequest & { readonly ids: readonly string[] };

interface ProductRequest extends AnyRequest {
  readonly id: string;
  readonly selected?: readonly Selected[];
  readonly preferences?: readonly string[];
}

/** An operation of catalog.graphql with its variables, and what its data become. */
export interface Plan {
  readonly document: string;
  readonly variables: Json;
  /** All else that the answer depends on, as text. */
  readonly key: string;
  readonly answerOf: (data: never) => Json;
}

/** Products on a page, ids of a look-up. */
const MAX_ITEMS = 100;

const VERSION = '2026-08-25';

interface Message {
  readonly type: 'info' | 'warning' | 'error';
  readonly code: string;
  readonly content: string;
  readonly severity?: 'unrecoverable';
}

const answer = (
  capability: 'search' | 'lookup',
  members: Json,
  messages: readonly Message[],
  status?: 'error',
): Json => ({
  ucp: {
    version: VERSION,
    ...(status && { status }),
    capabilities: { [`dev.ucp.shopping.catalog.${capability}`]: [{ version: VERSION }] },
  },
  ...members,
  ...(messages.length > 0 && { messages }),
});

/** Reads the data of an operation of catalog.graphql, for what a plan depends on. */
type Read = (document: string, variables: Json) => Promise<Json>;

/** Categories, and bounds of prices in the currency of the shop. A price filter in another one is ignored, and that is said. */
interface Filter {
  /** Undefined for all. */
  readonly categoryIds?: readonly number[] | undefined;
  readonly price?: Filters['price'];
  /** Of the price. */
  readonly currency?: string;
  readonly messages: readonly Message[];
}

/** @param shopCurrency undefined where it is that of most products */
export const filterOf = async (
  { filters = {}, context }: AnyRequest,
  shopCurrency: string | undefined,
  read: Read,
): Promise<Filter> => {
  const { categories = [], price } = filters;
  const categoryIds = categories.length > 0 ? await categoryIdsOf(categories, read) : undefined;
  if (price?.min === undefined && price?.max === undefined) return { categoryIds, messages: [] };
  const currency = shopCurrency ?? String((await read('CatalogCurrency', {})).currency);
  if (context?.currency === currency) return { categoryIds, price, currency, messages: [] };
  const content = `The price filter was ignored: it is for context.currency "${currency}".`;
  return { categoryIds, messages: [{ type: 'warning', code: 'price_filter_ignored', content }] };
};

const categoryIdsOf = async (names: readonly string[], read: Read): Promise<number[]> => {
  const { categoriesByNames } = await read('CatalogCategories', { names });
  const ids = (categoriesByNames as { readonly id: number }[]).map(({ id }) => id);
  // Where no name is known, nothing is found: no category has this id.
  return ids.length > 0 ? ids : [0];
};

const isWithin = ({ amount }: Price, { price: { min = 0, max = Number.MAX_SAFE_INTEGER } = {} }: Filter): boolean =>
  amount >= min && amount <= max;

/** Whether a product stands in one of the categories, or below. */
const isIn = ({ category }: catalog.ProductData, { categoryIds }: Filter): boolean =>
  !categoryIds || [category, ...category.ancestors].some(({ id }) => categoryIds.includes(id));

interface SearchData {
  readonly nodes: readonly catalog.ProductData[];
  readonly correctedSearch: string | null;
  readonly total_count: number;
  readonly pageInfo: { readonly has_next_page: boolean; readonly cursor: string | null };
}

type MakePlan<Request> = (request: Request, filter: Filter, addresses: catalog.Addresses) => Plan;

const planSearch: MakePlan<SearchRequest> = (
  { query, pagination = {} },
  { categoryIds, price = {}, currency, messages },
  addresses,
) => {
  const search = query?.trim() ? query : undefined;
  if (search === undefined && !categoryIds && currency === undefined && messages.length === 0) {
    throw new AppError('BAD_USER_INPUT', 'A search needs a query, or a filter by categories or price.');
  }
  const filter = {
    ...(categoryIds && { categoryIds }),
    ...(currency !== undefined && boundsOf(price, currency)),
  };
  const first = Math.min(pagination.limit ?? 10, MAX_ITEMS);
  return {
    document: 'CatalogSearch',
    variables: { search, filter, first, after: pagination.cursor },
    key: JSON.stringify([addresses.base, messages]),
    answerOf: ({ productSearch }: { readonly productSearch: SearchData }) => {
      const { nodes, correctedSearch, total_count, pageInfo } = productSearch;
      const products = nodes.map((product) =>
        catalog.catalogProduct(product, [catalog.featuredOf(product, addresses)], addresses),
      );
      const { has_next_page, cursor } = pageInfo;
      const pagination = { ...(has_next_page && { cursor }), has_next_page, total_count };
      return answer('search', { products, pagination }, [...correctionOf(correctedSearch), ...messages]);
    },
  };
};

const correctionOf = (words: string | null): Message[] => {
  const content = `Nothing was found for the query; these are found for "${words}".`;
  return words === null ? [] : [{ type: 'info', code: 'query_corrected', content }];
};

interface Item {
  readonly product: catalog.ProductData;
  readonly variant: catalog.VariantData | null;
}

/** `CatalogLookup`, or `CatalogDetail`: items in the order of what was asked for. */
interface LookupData {
  readonly itemsByKeys: readonly (Item | null)[];
}

/** The product that an identifier leads to, and the variant that it names exactly; undefined where it names all of the product. */
interface Match {
  readonly id: string;
  readonly product: catalog.ProductData;
  readonly exact: catalog.Variant | undefined;
}

const matchesIn = ({ itemsByKeys }: LookupData, ids: readonly string[], addresses: catalog.Addresses): Match[] =>
  ids.flatMap((id, place) => {
    const item = itemsByKeys[place];
    return item ? [{ id, product: item.product, exact: exactOf(id, item, addresses) }] : [];
  });

const exactOf = (id: string, { product, variant }: Item, addresses: catalog.Addresses) => {
  if (variant) return catalog.variantOf(variant, product, addresses);
  const isItself = !product.featured && (id === product.sku || id.endsWith('/variant'));
  return isItself ? catalog.featuredOf(product, addresses) : undefined;
};

const planLookup: MakePlan<LookupRequest> = (request, filter, addresses) => {
  const ids = [...new Set(request.ids)];
  if (ids.length > MAX_ITEMS) {
    throw new AppError('BAD_USER_INPUT', `A look-up takes at most ${MAX_ITEMS} ids.`, {
      details: { reason: 'request_too_large' },
    });
  }
  return {
    document: 'CatalogLookup',
    variables: { keys: ids },
    key: JSON.stringify(['lookup', addresses.base, ids, filter]),
    answerOf: (data: LookupData) => {
      const matches = matchesIn(data, ids, addresses);
      const products = [...Map.groupBy(matches, ({ product }) => product.id).values()].flatMap((ofProduct) => {
        const [{ product }] = ofProduct as [Match];
        // It stands for the product.
        const featured = catalog.featuredOf(product, addresses);
        const byVariant = Map.groupBy(ofProduct, ({ exact = featured }) => exact.id);
        const variants = [...byVariant.values()].flatMap((same) => {
          const { shown, price } = same[0]?.exact ?? featured;
          const inputs = same.map(({ id, exact }) => ({ id, match: exact ? 'exact' : 'featured' }));
          return isWithin(price, filter) ? [{ shown: { ...shown, inputs } }] : [];
        });
        const isShown = variants.length > 0 && isIn(product, filter);
        return isShown ? [catalog.catalogProduct(product, variants, addresses)] : [];
      });
      const unknown = new Set(ids).difference(new Set(matches.map(({ id }) => id)));
      const messages = [...unknown].map((id): Message => ({ type: 'info', code: 'not_found', content: id }));
      return answer('lookup', { products }, [...messages, ...filter.messages]);
    },
  };
};

const planProduct: MakePlan<ProductRequest> = (request, filter, addresses) => {
  const { id, selected = [], preferences = [] } = request;
  if (new Set(selected.map(({ name }) => name)).size < selected.length) {
    throw new AppError('BAD_USER_INPUT', 'Each option may be selected once.');
  }
  return {
    document: 'CatalogDetail',
    variables: { keys: [id] },
    key: JSON.stringify(['product', addresses.base, id, selected, preferences, filter]),
    answerOf: (data: LookupData) => {
      const [match] = matchesIn(data, [id], addresses);
      const product = match && isIn(match.product, filter) && detailOf(match, request, filter, addresses);
      if (product) return answer('lookup', { product }, filter.messages);
      const content = `Product not found: ${id}`;
      return answer('lookup', {}, [{ type: 'error', code: 'not_found', content, severity: 'unrecoverable' }], 'error');
    },
  };
};

/** A product with the variants that meet a selection; undefined where the price filter leaves none of them. */
const detailOf = (
  { product, exact }: Match,
  { selected = [], preferences = [] }: ProductRequest,
  filter: Filter,
  addresses: catalog.Addresses,
): Json | undefined => {
  const all = catalog.variantsOf(product, addresses);
  const chosen = exact?.options ?? (selected.length > 0 ? relax(all, selected, preferences) : all[0]?.options) ?? [];
  const variants = selectedOf(all, chosen).filter(({ price }) => isWithin(price, filter));
  if (variants.length === 0) return undefined;
  const shown = catalog.catalogProduct(product, variants, addresses);
  if (product.options.length === 0) return shown;
  const options = product.options.map((option) => ({ name: option.name, values: valuesBeside(all, chosen, option) }));
  return { ...shown, options, selected: chosen.map(({ name, label }) => ({ name, label })) };
};

export type ToolName = 'search_catalog' | 'lookup_catalog' | 'get_product';

/** How each tool is planned. @throws AppError BAD_USER_INPUT */
export const PLANS: Readonly<Record<ToolName, MakePlan<never>>> = {
  search_catalog: planSearch,
  lookup_catalog: planLookup,
  get_product: planProduct,
};
