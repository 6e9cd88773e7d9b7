import { slugOf } from '../fields/slug.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { createColumns, plainName } from './columns.ts';
import type { Format, FormatOptions, FormatReader } from './format.ts';
import { offerOf } from './sale.ts';

/** The attributes that are read: https://support.google.com/merchants/answer/7052112 */
const NAMES = {
  sku: ['id'],
  name: ['title'],
  description: ['description'],
  imageUrl: ['image_link'],
  moreImages: ['additional_image_link'],
  availability: ['availability'],
  stock: ['quantity', 'sell_on_google_quantity'],
  price: ['price'],
  sale: ['sale_price'],
  saleDates: ['sale_price_effective_date'],
  brand: ['brand'],
  category: ['product_type'],
  taxonomy: ['google_product_category'],
} as const;

type Column = keyof typeof NAMES;

/** A feed for Google Merchant Center, as text with tabs or as XML. Each item is a product, also one of several in a group. */
export const google: Format = {
  name: 'google',
  summary: 'feeds for Google Merchant Center, as text or XML',
  kind: 'product',
  columns: Object.values(NAMES).flat(),
  keys: ['slug', 'sku'],
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    return ['id', 'title', 'price', 'imagelink', 'availability'].every((column) => plain.has(column));
  },
  open: (options) => openGoogle(options),
};

const openGoogle = (options: FormatOptions): FormatReader => {
  const columns = createColumns(NAMES);
  /** The first value of an attribute, which a feed may repeat. */
  const read = ({ fields }: SourceRecord, column: Column): string => {
    const value = columns.get(fields, column);
    const first = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? first.trim() : '';
  };

  return {
    read: (record) => {
      for (const column of Object.keys(record.fields)) columns.uses(column);
      const name = read(record, 'name');
      const { slug, slugSource } = slugOf(name, read(record, 'sku'), options.key);
      const [saleStart = '', saleEnd = ''] = read(record, 'saleDates').split('/');
      const { price, listPrice } = offerOf(read(record, 'price'), read(record, 'sale'), saleStart, saleEnd);
      const values: Record<string, Value> = {
        slug,
        name,
        description: read(record, 'description'),
        brand: read(record, 'brand'),
        category: categoryOf(read(record, 'category'), read(record, 'taxonomy')),
        imageUrl: read(record, 'imageUrl'),
        imageUrls: [read(record, 'imageUrl'), ...listOf(columns.get(record.fields, 'moreImages'))],
        price: amountOf(price),
        listPrice: amountOf(listPrice),
        currency: currencyOf(price),
        stock: stockOf(read(record, 'availability'), read(record, 'stock')),
      };
      return [{ ...placeOf(record), values, slugSource }];
    },
    columnOf: (field) => {
      if (field === 'slug') return columns.columnOf(options.key === 'sku' ? 'sku' : 'name');
      if (field === 'listPrice' || field === 'currency') return columns.columnOf('price');
      if (field === 'imageUrls') return columns.columnOf('moreImages');
      return columns.columnOf(field === 'stock' && !columns.has('stock') ? 'availability' : (field as Column));
    },
    uses: columns.uses,
  };
};

/** An amount with the code of its currency before or behind it, such as `19.90 EUR`. */
const MONEY = /^(?:([a-z]{3})\s*)?(.*?)(?:\s*([a-z]{3}))?$/i;

const amountOf = (text: string): string => MONEY.exec(text)?.[2] ?? text;

const currencyOf = (text: string): string => {
  const [, before, , behind] = MONEY.exec(text) ?? [];
  return behind ?? before ?? '';
};

/** Google's own categories may be numbers, which are no names. */
const categoryOf = (own: string, taxonomy: string): string =>
  own || (/^\d*$/.test(taxonomy) ? 'Uncategorized' : taxonomy);

const stockOf = (availability: string, quantity: string): string =>
  quantity === '' || /^out/i.test(availability) ? availability : quantity;

/** Repeated elements, or addresses with commas between them. */
const listOf = (value: Value | undefined): readonly Value[] => {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? value.split(/\s*,\s*(?=https?:)/).filter(Boolean) : [];
};
