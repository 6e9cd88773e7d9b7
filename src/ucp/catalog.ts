import { type Price, priceOf } from './amount.ts';
import type { Selectable, Selected } from './selection.ts';

type Money = Parameters<typeof priceOf>[0];

type Range<Amount> = { readonly min: Amount; readonly max: Amount };

interface Sellable {
  readonly id: number;
  readonly title: string;
  readonly sku: string | null;
  readonly inStock: boolean;
  readonly price: Money;
  readonly listPrice: Money | null;
}

/** The fragment `CatalogVariant` of catalog.graphql. */
export interface VariantData extends Sellable {
  readonly barcode: string | null;
  readonly imageUrl: string | null;
  readonly options: readonly Selected[];
}

type Image = { readonly url: string; readonly alt_text: string };

/** The fragment `CatalogProduct`. */
export interface ProductData extends Sellable {
  readonly handle: string;
  readonly subtitle: string | null;
  readonly description: string;
  readonly brand: string | null;
  readonly tags: readonly string[];
  readonly images: readonly Image[];
  readonly category: {
    readonly id: number;
    readonly path: string;
    readonly ancestors: readonly { readonly id: number }[];
  };
  readonly attributes: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly options: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Null of a product without variants. */
  readonly featured: VariantData | null;
  readonly price_range: Range<Money>;
  readonly list_price_range: Range<Money> | null;
  /** Of `CatalogDetail` alone. */
  readonly variants?: readonly VariantData[];
}

export type Json = Readonly<Record<string, unknown>>;

/** A variant of the protocol, and as it can be selected. */
export interface Variant extends Selectable {
  readonly id: string;
  readonly price: Price;
  readonly shown: Json;
}

/** Where relative addresses begin, and the page of a product, with `{slug}` in it. */
export interface Addresses {
  readonly base: string;
  readonly productUrl: string | undefined;
}

/** The variants of a product, the featured one first. */
export const variantsOf = (product: ProductData, addresses: Addresses): Variant[] => {
  const featured = featuredOf(product, addresses);
  const others = product.variants?.filter(({ id }) => id !== product.featured?.id) ?? [];
  return [featured, ...others.map((variant) => variantOf(variant, product, addresses))];
};

/** The variant that stands for a product; one without variants is one itself. */
export const featuredOf = (product: ProductData, addresses: Addresses): Variant => {
  const { id, images, featured } = product;
  if (featured) return variantOf(featured, product, addresses);
  const itself = { ...product, barcode: null, imageUrl: images[0]?.url ?? null, options: [] };
  return variantOf(itself, product, addresses, `product/${id}/variant`);
};

export const variantOf = (
  data: VariantData,
  product: ProductData,
  { base }: Addresses,
  id = `variant/${data.id}`,
): Variant => {
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
  return { id, price, options, inStock, shown };
};

/** A product of the protocol. @param variants those that are shown */
export const catalogProduct = (
  product: ProductData,
  variants: readonly Pick<Variant, 'shown'>[],
  { base, productUrl }: Addresses,
): Json => {
  const { id, handle, title, category, images, tags, brand, attributes, options, price_range, list_price_range } =
    product;
  const page = productUrl?.replaceAll('{slug}', encodeURIComponent(handle));
  const url = page === undefined ? undefined : webAddress(page, base);
  return {
    id: `product/${id}`,
    handle,
    title,
    description: descriptionOf(product),
    ...(url !== undefined && { url }),
    categories: [{ value: category.path, taxonomy: 'merchant' }],
    price_range: rangeOf(price_range),
    ...(list_price_range && { list_price_range: rangeOf(list_price_range) }),
    ...mediaOf(images, base),
    ...(options.length > 0 && {
      options: options.map(({ name, values }) => ({ name, values: values.map((label) => ({ label })) })),
    }),
    variants: variants.map(({ shown }) => shown),
    tags,
    metadata: {
      ...(brand !== null && { brand }),
      attributes: Object.fromEntries(attributes.map(({ name, values }) => [name, values])),
    },
  };
};

const descriptionOf = ({ description, subtitle, title }: ProductData) => ({ plain: description || subtitle || title });

const rangeOf = ({ min, max }: Range<Money>): Range<Price> => ({ min: priceOf(min), max: priceOf(max) });

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

/** The types of GS1's codes, by their length. */
const TYPES: Readonly<Record<number, string>> = { 8: 'EAN', 12: 'UPC', 13: 'EAN', 14: 'GTIN' };

/** A code with its type; undefined for what is no code of GS1, or has a wrong check digit. */
export const barcodeOf = (value: string): { readonly type: string; readonly value: string } | undefined => {
  const type = /^\d+$/.test(value) ? TYPES[value.length] : undefined;
  return type !== undefined && hasCheckDigit(value) ? { type, value } : undefined;
};

/** https://www.gs1.org/services/how-calculate-check-digit-manually */
const hasCheckDigit = (digits: string): boolean => {
  const weighted = [...digits].reverse().map((digit, place) => Number(digit) * (place % 2 === 0 ? 1 : 3));
  return weighted.reduce((sum, each) => sum + each, 0) % 10 === 0;
};
