import { slugOf } from '../fields/slug.ts';
import { isSoldOut } from '../fields/stock.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { createColumns, pick, plainName } from './columns.ts';
import type { Format, FormatOptions, FormatReader } from './format.ts';
import { fieldsOf, offerOf } from './sale.ts';

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
} as const;

type Column = keyof typeof NAMES;

/** A feed for Google Merchant Center, as text with tabs or as XML. Each item is a product, also one of several in a group. */
export const google: Format = {
  name: 'google',
  summary: 'feeds for Google Merchant Center and Meta, as text or XML',
  kind: 'product',
  columns: Object.values(NAMES).flat(),
  keys: ['slug', 'sku'],
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    const own = ['imagelink', 'availability', 'googleproductcategory'].filter((column) => plain.has(column));
    return plain.has('id') && plain.has('title') && own.length > 0;
  },
  open: (options) => openGoogle(options),
};

const openGoogle = (options: FormatOptions): FormatReader => {
  const { category: without = 'Uncategorized' } = options;
  const columns = createColumns(NAMES);
  const { has } = columns;
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
      const { slug, slugSource } = slugOf(name, read(record, 'sku'), options);
      const [from = '', to = ''] = read(record, 'saleDates').split('/');
      const [regular, sale] = [read(record, 'price'), read(record, 'sale')];
      const offer = fieldsOf(
        offerOf({
          regular: has('price') ? amountOf(regular) : undefined,
          sale: has('sale') ? amountOf(sale) : undefined,
          from,
          to,
        }),
        { regular: columns.columnOf('price'), sale: columns.columnOf('sale') },
      );
      const category = read(record, 'category') || nameOf(read(record, 'taxonomy'));
      const image = read(record, 'imageUrl');
      const images = [image, ...listOf(columns.get(record.fields, 'moreImages'))];
      const hasImages = has('imageUrl') && has('moreImages');
      const [availability, quantity] = [read(record, 'availability'), read(record, 'stock')];
      const isCounted = quantity !== '' && !isSoldOut(availability);
      // An item of no type has no category, if the feed has that attribute.
      const hasCategory = category !== '' || has('category');
      const values: Record<string, Value> = {
        slug,
        ...pick(['name', 'description', 'brand', 'imageUrl'], has, (column) => read(record, column)),
        ...(hasCategory && { category: category || without }),
        ...(hasImages && { imageUrls: images }),
        ...offer.values,
        currency: currencyOf(regular) || currencyOf(sale),
        stock: isCounted ? quantity : availability,
      };
      const ifNew: Record<string, Value> = {
        ...offer.ifNew,
        ...(!hasCategory && { category: without }),
        ...(!hasImages && image !== '' && { imageUrls: images }),
      };
      const columnsOfFields = {
        ...offer.columns,
        ...(read(record, 'category') === '' && category !== '' && { category: columns.columnOf('taxonomy') }),
        stock: columns.columnOf(isCounted ? 'stock' : 'availability'),
      };
      return [{ ...placeOf(record), values, ifNew, slugSource, columns: columnsOfFields }];
    },
    columnOf: (field) => {
      if (field === 'slug') return columns.columnOf(options.key === 'sku' ? 'sku' : 'name');
      if (field === 'listPrice' || field === 'currency') return columns.columnOf('price');
      return columns.columnOf(field === 'imageUrls' ? 'moreImages' : (field as Column));
    },
    uses: columns.uses,
  };
};

/** An amount with the code of its currency before or behind it, such as `19.90 EUR`. */
const MONEY = /^(?:([a-z]{3})\s*(?=[-+]?[\d.,]))?(.*?)(?:(?<=[\d.,])\s*([a-z]{3}))?$/i;

const amountOf = (text: string): string => MONEY.exec(text)?.[2] ?? text;

const currencyOf = (text: string): string => {
  const [, before, , behind] = MONEY.exec(text) ?? [];
  return behind ?? before ?? '';
};

/** Google's own categories may be numbers, which are no names. */
const nameOf = (taxonomy: string): string => (/^\d*$/.test(taxonomy) ? '' : taxonomy);

/** Repeated elements, or addresses with commas between them. */
const listOf = (value: Value | undefined): readonly Value[] => {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? value.split(/\s*,\s*(?=https?:)/).filter(Boolean) : [];
};
