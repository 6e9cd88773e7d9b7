import { type Price, priceOf } from './amount.ts';
import { barcodeOf } from './barcode.ts';
import type { Selectable, Selected } from './selection.ts';

type Money = Parameters<typeof priceOf>[0];

type CategoryData = { readonly name: string; readonly slug: string };

interface Sellable {
  readonly id: number;
  readonly title: string;
  readonly sku: string | null;
  readonly inStock: boolean;
  readonly price: Money;
  readonly listPrice: Money | null;
}

interface VariantData extends Sellable {
  readonly barcode: string | null;
  readonly imageUrl: string | null;
  readonly options: readonly Selected[];
}

type Image = { readonly url: string; readonly alt_text: string };

/** The fragment `CatalogProduct` of catalog.graphql. */
export interface ProductData extends Sellable {
  readonly handle: string;
  readonly subtitle: string | null;
  readonly description: string;
  readonly brand: string | null;
  readonly tags: readonly string[];
  readonly images: readonly Image[];
  readonly category: CategoryData & { readonly ancestors: readonly CategoryData[] };
  readonly attributes: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly options: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly variants: readonly VariantData[];
}

export type Json = Readonly<Record<string, unknown>>;

/** A variant of the protocol, and as it can be selected. */
export interface Variant extends Selectable {
  readonly id: string;
  /** What stands for it besides. */
  readonly codes: readonly string[];
  readonly price: Price;
  /** Undefined where it is not above the price. */
  readonly listPrice: Price | undefined;
  readonly shown: Json;
}

/** Where relative addresses begin, and the page of a product, with `{slug}` in it. */
export interface Addresses {
  readonly base: string;
  readonly productUrl: string | undefined;
}

/** The variants of a product, the featured one first: the first in stock, else the first. A product without variants is one itself. */
export const variantsOf = (product: ProductData, addresses: Addresses): Variant[] => {
  const { id, images, variants } = product;
  const itself = { ...product, barcode: null, imageUrl: images[0]?.url ?? null, options: [] };
  const all =
    variants.length > 0
      ? variants.map((variant) => variantOf(`variant/${variant.id}`, variant, product, addresses))
      : [variantOf(`product/${id}/variant`, itself, product, addresses)];
  const featured = all.find(({ inStock }) => inStock) ?? all[0];
  return all.toSorted((a, b) => Number(b === featured) - Number(a === featured));
};

const variantOf = (id: string, data: VariantData, product: ProductData, { base }: Addresses): Variant => {
  const { sku, barcode, title, inStock, imageUrl, options } = data;
  const price = priceOf(data.price);
  const listed = data.listPrice ? priceOf(data.listPrice) : price;
  const listPrice = listed.amount > price.amount ? listed : undefined;
  const typed = barcodeOf(barcode ?? '');
  const shown = {
    id,
    title,
    description: descriptionOf(product),
    price,
    availability: { available: inStock },
    ...(sku !== null && { sku }),
    ...(typed && { barcodes: [typed] }),
    ...(listPrice && { list_price: listPrice }),
    ...(options.length > 0 && { options }),
    ...mediaOf(imageUrl === null ? [] : [{ url: imageUrl, alt_text: title }], base),
  };
  return { id, codes: [sku, barcode].filter((code) => code !== null), price, listPrice, options, inStock, shown };
};

/** What stands for a product: for one of its variants, or (undefined) for all of it. */
export const identifiersOf = (
  { id, handle, sku }: ProductData,
  all: readonly Variant[],
): ReadonlyMap<string, Variant | undefined> => {
  const own = [`product/${id}`, `product/${id}/variant`, handle, ...(sku === null ? [] : [sku])];
  // Of variants with one code, the first has it.
  const exact = all
    .toReversed()
    .flatMap((variant) => [variant.id, ...variant.codes].map((name) => [name, variant] as const));
  return new Map([...own.map((name) => [name, undefined] as const), ...exact]);
};

/** A product of the protocol. @param all its variants @param variants those that are shown */
export const catalogProduct = (
  product: ProductData,
  all: readonly Variant[],
  variants: readonly Json[],
  { base, productUrl }: Addresses,
): Json => {
  const { id, handle, title, category, images, tags, brand, attributes, options } = product;
  const page = productUrl?.replaceAll('{slug}', encodeURIComponent(handle));
  const url = page === undefined ? undefined : webAddress(page, base);
  return {
    id: `product/${id}`,
    handle,
    title,
    description: descriptionOf(product),
    ...(url !== undefined && { url }),
    categories: [{ value: linesOf(category).at(-1), taxonomy: 'merchant' }],
    price_range: rangeOf(all.map(({ price }) => price)),
    ...(all.some(({ listPrice }) => listPrice) && {
      list_price_range: rangeOf(all.map(({ price, listPrice }) => listPrice ?? price)),
    }),
    ...mediaOf(images, base),
    ...(options.length > 0 && {
      options: options.map(({ name, values }) => ({ name, values: values.map((label) => ({ label })) })),
    }),
    variants,
    tags,
    metadata: {
      ...(brand !== null && { brand }),
      attributes: Object.fromEntries(attributes.map(({ name, values }) => [name, values])),
    },
  };
};

const descriptionOf = ({ description, subtitle, title }: ProductData) => ({ plain: description || subtitle || title });

/** The paths of a category and of those above it, root first. */
const linesOf = ({ name, ancestors }: ProductData['category']): string[] => {
  const names = [...ancestors.map((ancestor) => ancestor.name), name];
  return names.map((_, place) => names.slice(0, place + 1).join(' > '));
};

/** What a category of a product, or one above it, may be called in a filter: its path, its slug, its name. */
export const categoryNamesOf = ({ category }: ProductData): Set<string> =>
  new Set([...linesOf(category), ...[category, ...category.ancestors].flatMap(({ name, slug }) => [name, slug])]);

const rangeOf = (prices: readonly Price[]): { readonly min: Price; readonly max: Price } => {
  const byAmount = prices.toSorted((a, b) => a.amount - b.amount);
  return { min: byAmount[0] as Price, max: byAmount.at(-1) as Price };
};

/** Pictures with an address on the web. */
const mediaOf = (images: readonly Image[], base: string) => {
  const media = images.flatMap(({ url, alt_text }) => {
    const address = webAddress(url, base);
    return address === undefined ? [] : [{ type: 'image', url: address, ...(alt_text && { alt_text }) }];
  });
  return media.length > 0 ? { media } : {};
};

/** An address as RFC 3986 writes it, which is stricter than browsers are; undefined for a text that is none. */
const webAddress = (url: string, base: string): string | undefined => {
  const address = URL.parse(url, base);
  if (!address || !/^https?:$/.test(address.protocol)) return undefined;
  return address.href
    .replaceAll(/%(?![\da-f]{2})/gi, '%25')
    .replaceAll(/[^\w\-.~:/?#@!$&'()*+,;=%[\]]/g, encodeURIComponent);
};
