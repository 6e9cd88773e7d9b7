import { AppError } from '../errors.ts';
import { boundsOf, type Price } from './amount.ts';
import * as catalog from './catalog.ts';
import type { AnyRequest, Filters, LookupRequest, ProductRequest, SearchRequest } from './request.ts';
import { relax, selectedOf, valuesBeside } from './selection.ts';

type Json = catalog.Json;

/** Operations of catalog.graphql. */
export type DocumentName = 'CatalogSearch' | 'CatalogLookup' | 'CatalogCategories' | 'CatalogCurrency';

/** What is known of the shop while an operation is planned. */
export interface Shop {
  readonly addresses: catalog.Addresses;
  /** The data of a document, for what a plan depends on. */
  readonly read: (document: DocumentName, variables: Json) => Promise<Json>;
  /** Of price filters. Undefined where it is that of most products. */
  readonly currency: string | undefined;
}

/** A document with its variables, and what its data become. */
export interface Plan {
  readonly document: DocumentName;
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

/** Bounds of prices in the currency of the shop. A filter in another one is ignored, and that is said. */
interface PriceFilter {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly currency?: string;
  readonly messages: readonly Message[];
}

const priceFilterOf = async ({ filters, context }: AnyRequest, shop: Shop): Promise<PriceFilter> => {
  if (!hasPrice(filters)) return { messages: [] };
  const currency = shop.currency ?? String((await shop.read('CatalogCurrency', {})).currency);
  if (context?.currency === currency) return { ...filters?.price, currency, messages: [] };
  const content = `The price filter was ignored: it is for context.currency "${currency}".`;
  return { messages: [{ type: 'warning', code: 'price_filter_ignored', content }] };
};

const hasPrice = (filters: Filters | undefined): boolean =>
  filters?.price?.min !== undefined || filters?.price?.max !== undefined;

const isWithin = ({ amount }: Price, { min = 0, max = Number.MAX_SAFE_INTEGER }: PriceFilter): boolean =>
  amount >= min && amount <= max;

const isIn = (product: catalog.ProductData, { categories = [] }: Filters = {}): boolean =>
  categories.length === 0 || !catalog.categoryNamesOf(product).isDisjointFrom(new Set(categories));

interface SearchData {
  readonly nodes: readonly catalog.ProductData[];
  readonly correctedSearch: string | null;
  readonly total_count: number;
  readonly pageInfo: { readonly has_next_page: boolean; readonly cursor: string | null };
}

const planSearch = async (request: SearchRequest, shop: Shop): Promise<Plan> => {
  const { query, filters, pagination = {} } = request;
  const { categories = [] } = filters ?? {};
  const search = query?.trim() ? query : undefined;
  if (search === undefined && categories.length === 0 && !hasPrice(filters)) {
    throw new AppError('BAD_USER_INPUT', 'A search needs a query, or a filter by categories or price.');
  }
  const prices = await priceFilterOf(request, shop);
  const filter = {
    ...(categories.length > 0 && { categoryIds: await categoryIdsOf(categories, shop) }),
    ...(prices.currency !== undefined && boundsOf(prices, prices.currency)),
  };
  const first = Math.min(pagination.limit ?? 10, MAX_ITEMS);
  return {
    document: 'CatalogSearch',
    variables: { search, filter, first, after: pagination.cursor },
    key: JSON.stringify([shop.addresses.base, prices.messages]),
    answerOf: ({ productSearch }: { readonly productSearch: SearchData }) => {
      const { nodes, correctedSearch, total_count, pageInfo } = productSearch;
      const products = nodes.map((product) => {
        const all = catalog.variantsOf(product, shop.addresses);
        return catalog.catalogProduct(product, all, shownOf(all.slice(0, 1)), shop.addresses);
      });
      const { has_next_page, cursor } = pageInfo;
      const pagination = { ...(has_next_page && { cursor }), has_next_page, total_count };
      return answer('search', { products, pagination }, [...correctionOf(correctedSearch), ...prices.messages]);
    },
  };
};

const categoryIdsOf = async (names: readonly string[], shop: Shop): Promise<number[]> => {
  const { categoriesByNames } = await shop.read('CatalogCategories', { names });
  const ids = (categoriesByNames as { readonly id: number }[]).map(({ id }) => id);
  // Where no name is known, nothing is found: no category has this id.
  return ids.length > 0 ? ids : [0];
};

const correctionOf = (words: string | null): Message[] => {
  const content = `Nothing was found for the query; these are found for "${words}".`;
  return words === null ? [] : [{ type: 'info', code: 'query_corrected', content }];
};

const shownOf = (variants: readonly catalog.Variant[]): Json[] => variants.map(({ shown }) => shown);

type Found = readonly (catalog.ProductData | null)[];

interface LookupData {
  readonly byId?: Found;
  readonly byVariant?: readonly ({ readonly product: catalog.ProductData } | null)[];
  readonly byHandle?: Found;
  readonly byCode?: Found;
}

const productsIn = ({ byId = [], byVariant = [], byHandle = [], byCode = [] }: LookupData): catalog.ProductData[] => {
  const found = [...byId, ...byVariant.map((each) => each?.product), ...byHandle, ...byCode];
  return [...new Map(found.flatMap((product) => (product ? [[product.id, product]] : []))).values()];
};

const MAX_INT = 2 ** 31 - 1;

const lookupVariables = (ids: readonly string[]): Json => {
  const numbersIn = (pattern: RegExp): number[] =>
    ids.map((id) => Number(pattern.exec(id)?.[1])).filter((number) => number <= MAX_INT);
  const productIds = numbersIn(/^product\/([1-9]\d{0,9})(?:\/variant)?$/);
  const variantIds = numbersIn(/^variant\/([1-9]\d{0,9})$/);
  const others = ids.filter((id) => !/^(?:product|variant)\//.test(id));
  return {
    ...(productIds.length > 0 && { ids: productIds }),
    ...(variantIds.length > 0 && { variantIds }),
    ...(others.length > 0 && { others }),
    hasIds: productIds.length > 0,
    hasVariantIds: variantIds.length > 0,
    hasOthers: others.length > 0,
  };
};

const planLookup = async (request: LookupRequest, shop: Shop): Promise<Plan> => {
  const { filters } = request;
  const ids = [...new Set(request.ids)];
  if (ids.length > MAX_ITEMS) {
    throw new AppError('BAD_USER_INPUT', `A look-up takes ${MAX_ITEMS} ids.`, {
      details: { reason: 'request_too_large' },
    });
  }
  const prices = await priceFilterOf(request, shop);
  return {
    document: 'CatalogLookup',
    variables: lookupVariables(ids),
    key: JSON.stringify(['lookup', shop.addresses.base, ids, prices, filters?.categories]),
    answerOf: (data: LookupData) => {
      const unknown = new Set(ids);
      const products = productsIn(data).flatMap((product) => {
        const all = catalog.variantsOf(product, shop.addresses);
        const identifiers = catalog.identifiersOf(product, all);
        const named = ids.filter((id) => identifiers.has(id));
        for (const id of named) unknown.delete(id);
        const variants = all.flatMap((variant, place) => {
          const inputs = named.flatMap((id) => {
            const exact = identifiers.get(id);
            if (exact === variant) return [{ id, match: 'exact' }];
            // The first variant stands for the product.
            return exact === undefined && place === 0 ? [{ id, match: 'featured' }] : [];
          });
          return inputs.length > 0 && isWithin(variant.price, prices) ? [{ ...variant.shown, inputs }] : [];
        });
        const isShown = variants.length > 0 && isIn(product, filters);
        return isShown ? [catalog.catalogProduct(product, all, variants, shop.addresses)] : [];
      });
      const messages = [...unknown].map((id): Message => ({ type: 'info', code: 'not_found', content: id }));
      return answer('lookup', { products }, [...messages, ...prices.messages]);
    },
  };
};

const planProduct = async (request: ProductRequest, shop: Shop): Promise<Plan> => {
  const { id, selected = [], preferences = [], filters } = request;
  if (new Set(selected.map(({ name }) => name)).size < selected.length) {
    throw new AppError('BAD_USER_INPUT', 'Each option may be selected once.');
  }
  const prices = await priceFilterOf(request, shop);
  return {
    document: 'CatalogLookup',
    variables: lookupVariables([id]),
    key: JSON.stringify(['product', shop.addresses.base, id, selected, preferences, prices, filters?.categories]),
    answerOf: (data: LookupData) => {
      const [found] = productsIn(data);
      const product = found && isIn(found, filters) && detailOf(found, request, prices, shop.addresses);
      if (product) return answer('lookup', { product }, prices.messages);
      const content = `Product not found: ${id}`;
      return answer('lookup', {}, [{ type: 'error', code: 'not_found', content, severity: 'unrecoverable' }], 'error');
    },
  };
};

/** A product with the variants that meet a selection; undefined where the price filter leaves none of them. */
const detailOf = (
  product: catalog.ProductData,
  { id, selected = [], preferences = [] }: ProductRequest,
  prices: PriceFilter,
  addresses: catalog.Addresses,
): Json | undefined => {
  const all = catalog.variantsOf(product, addresses);
  const asked = catalog.identifiersOf(product, all).get(id);
  const chosen = asked?.options ?? (selected.length > 0 ? relax(all, selected, preferences) : all[0]?.options) ?? [];
  const variants = selectedOf(all, chosen).filter(({ price }) => isWithin(price, prices));
  if (variants.length === 0) return undefined;
  const shown = catalog.catalogProduct(product, all, shownOf(variants), addresses);
  if (product.options.length === 0) return shown;
  const options = product.options.map((option) => ({ name: option.name, values: valuesBeside(all, chosen, option) }));
  return { ...shown, options, selected: chosen.map(({ name, label }) => ({ name, label })) };
};

export type ToolName = 'search_catalog' | 'lookup_catalog' | 'get_product';

/** How each tool is planned. @throws (in the promise) AppError BAD_USER_INPUT */
export const PLANS: Readonly<Record<ToolName, (request: never, shop: Shop) => Promise<Plan>>> = {
  search_catalog: planSearch,
  lookup_catalog: planLookup,
  get_product: planProduct,
};
