import { offerOf } from '../fields/price.ts';
import { slugOf } from '../fields/slug.ts';
import { isSoldOut } from '../fields/values.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { type Draft, defineFormat, type FormatFile, pick } from './format.ts';

/** The attributes that are read: https://support.google.com/merchants/answer/7052112 */
const NAMES = {
  sku: ['id'],
  name: ['title'],
  description: ['description'],
  imageUrl: ['image_link'],
  moreImages: ['additional_image_link'],
  availability: ['availability'],
  stock: ['quantity', 'sell_on_google_quantity', 'quantity_to_sell_on_facebook'],
  price: ['price'],
  sale: ['sale_price'],
  saleDates: ['sale_price_effective_date'],
  brand: ['brand'],
  category: ['product_type'],
  taxonomy: ['google_product_category'],
};

/** A feed for Google Merchant Center, as text with tabs or as XML. Each item is a product, also one of several in a group. */
export const google = defineFormat({
  name: 'google',
  summary: 'feeds for Google Merchant Center and Meta, as text or XML',
  kind: 'product',
  names: NAMES,
  columnOf: { slug: 'name', listPrice: 'price', currency: 'price', imageUrls: 'moreImages' },
  keys: ['slug', 'sku'],
  recognises: (has) => has('id') && has('title') && has('imagelink', 'availability', 'googleproductcategory'),
  open: (file) => ({ read: (record) => [toDraft(record, file)] }),
});

const toDraft = (record: SourceRecord, file: FormatFile<keyof typeof NAMES>): Draft => {
  const { has, get, columnOf, options } = file;
  const { category: without = 'Uncategorized' } = options;
  /** The first value of an attribute, which a feed may repeat. */
  const read = (column: keyof typeof NAMES): string => {
    const [first] = [get(record, column)].flat();
    return typeof first === 'string' ? first.trim() : '';
  };
  const [from = '', to = ''] = read('saleDates').split('/');
  const [regular, sale] = [moneyOf(read('price')), moneyOf(read('sale'))];
  const offer = offerOf(file, { regular: regular.amount, sale: sale.amount, from, to });
  const category = read('category') || nameOf(read('taxonomy'));
  const images = [read('imageUrl'), ...listOf(get(record, 'moreImages'))];
  const hasImages = has('imageUrl') && has('moreImages');
  const isCounted = read('stock') !== '' && !isSoldOut(read('availability'));
  const stockColumn = isCounted ? 'stock' : 'availability';
  // An item of no type has no category, if the feed has that attribute.
  const hasCategory = category !== '' || has('category');
  const { slug, slugSource } = slugOf(read('name'), options);
  return {
    ...placeOf(record),
    slugSource,
    values: {
      ...(slug !== undefined && { slug }),
      ...pick(['sku', 'name', 'description', 'brand', 'imageUrl'], file, read),
      ...(hasCategory && { category: category || without }),
      ...(hasImages && { imageUrls: images }),
      ...offer.values,
      currency: regular.currency || sale.currency,
      stock: read(stockColumn),
    },
    ifNew: {
      ...offer.ifNew,
      ...(!hasCategory && { category: without }),
      ...(!hasImages && images[0] !== '' && { imageUrls: images }),
    },
    columns: {
      ...offer.columns,
      ...(read('category') === '' && category !== '' && { category: columnOf('taxonomy') }),
      stock: columnOf(stockColumn),
    },
  };
};

/** An amount with the code of its currency before or behind it, such as `19.90 EUR`. */
const moneyOf = (text: string): { amount: string; currency: string } => {
  const [, before = '', amount = text, behind = before] =
    /^(?:([a-z]{3})\s*(?=[-+]?[\d.,]))?(.*?)(?:(?<=[\d.,])\s*([a-z]{3}))?$/i.exec(text) ?? [];
  return { amount, currency: behind };
};

/** Google's own categories may be numbers, which are no names. */
const nameOf = (taxonomy: string): string => (/^\d*$/.test(taxonomy) ? '' : taxonomy);

/** Repeated elements, or addresses with commas between them. */
const listOf = (value: Value | undefined): readonly Value[] => {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? value.split(/\s*,\s*(?=https?:)/).filter(Boolean) : [];
};
