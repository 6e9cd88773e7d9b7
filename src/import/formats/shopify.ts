import { centsOf } from '../fields/amount.ts';
import { SOME } from '../fields/stock.ts';
import type { ReadOptions } from '../fields/values.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { createColumns, plainName } from './columns.ts';
import type { Draft, Format } from './format.ts';

/** The columns of a product export, in Shopify's older and newer spelling: https://help.shopify.com/en/manual/products/import-export/using-csv */
const NAMES = {
  slug: ['Handle', 'URL handle'],
  name: ['Title'],
  description: ['Body (HTML)', 'Description'],
  brand: ['Vendor'],
  type: ['Type'],
  taxonomy: ['Product Category'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  price: ['Variant Price', 'Price'],
  listPrice: ['Variant Compare At Price', 'Compare-at price'],
  stock: ['Variant Inventory Qty', 'Inventory quantity'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  policy: ['Variant Inventory Policy', 'Continue selling when out of stock'],
  imageUrls: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
} as const;

type ShopifyColumn = keyof typeof NAMES;

/** Returns the text of a column, or an empty text. */
type ReadColumn = (record: SourceRecord, column: ShopifyColumn) => string;

/** The most rows of one product: Shopify allows 2,048 variants and 250 images. */
const MAX_ROWS = 5000;

const COLUMN_OF_FIELD: Readonly<Record<string, ShopifyColumn>> = { category: 'type', imageUrl: 'imageUrls' };

/** Shopify's product export. The first row of a handle is the product, and each row may hold a variant, an image or both. */
export const shopify: Format = {
  name: 'shopify',
  summary: 'Shopify’s CSV export of products',
  kind: 'product',
  columns: Object.values(NAMES).flat(),
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    return plain.has('title') && (plain.has('handle') || plain.has('urlhandle'));
  },
  open: (options) => {
    const columns = createColumns(NAMES);
    let rows: SourceRecord[] = [];
    let brokenLine: number | undefined;

    const read: ReadColumn = ({ fields }, column) => {
      const value = columns.get(fields, column);
      return typeof value === 'string' ? value.trim() : '';
    };
    const end = (): Draft[] => {
      const [first] = rows;
      const drafts = first ? [{ ...toDraft(first, rows, read, options), rejection: rejectionOf(brokenLine) }] : [];
      rows = [];
      brokenLine = undefined;
      return drafts;
    };

    return {
      read: (record) => {
        for (const column of Object.keys(record.fields)) columns.uses(column);
        const [first] = rows;
        const isSame = first && read(first, 'slug') === read(record, 'slug') && read(record, 'name') === '';
        const drafts = isSame && rows.length < MAX_ROWS ? [] : end();
        rows.push(record);
        return drafts;
      },
      readBroken: (record) => {
        const [first] = rows;
        const handle = read(record, 'slug');
        // A row whose handle is lost may belong to any product.
        if (first && (handle === '' || handle === read(first, 'slug'))) brokenLine ??= record.line;
      },
      end,
      columnOf: (field) => columns.columnOf(COLUMN_OF_FIELD[field] ?? (field as ShopifyColumn)),
      uses: columns.uses,
    };
  },
};

const rejectionOf = (brokenLine: number | undefined): string | undefined =>
  brokenLine === undefined
    ? undefined
    : `is not imported, because one of its rows, in line ${brokenLine}, is broken: correct that row`;

/** Shopify's own name for products without a type. */
const WITHOUT_TYPE = 'Uncategorized';

const toDraft = (first: SourceRecord, rows: readonly SourceRecord[], read: ReadColumn, options: ReadOptions): Draft => {
  const images = rows
    .filter((row) => read(row, 'imageUrls') !== '')
    .sort((one, other) => Number(read(one, 'imagePosition')) - Number(read(other, 'imagePosition')))
    .map((row) => read(row, 'imageUrls'));
  const values: Record<string, Value> = {
    slug: read(first, 'slug'),
    name: read(first, 'name'),
    description: read(first, 'description'),
    brand: read(first, 'brand'),
    category: read(first, 'type') || read(first, 'taxonomy') || WITHOUT_TYPE,
    tags: read(first, 'tags').split(','),
    imageUrl: images[0] ?? '',
    imageUrls: images,
    status: toStatus(read(first, 'status'), read(first, 'published')),
    ...foldVariants(rows, read, options),
  };
  return { ...placeOf(first), values, doubt: doubtOf(first, rows, read) };
};

const doubtOf = (first: SourceRecord, rows: readonly SourceRecord[], read: ReadColumn): Draft['doubt'] => {
  if (read(first, 'name') === '') return 'continuation';
  // Shopify ends every line, but a spreadsheet may omit the last line end, so a missing one is no proof of a cut.
  return rows.at(-1)?.isUnterminated ? 'unterminated' : undefined;
};

/** An active product that is not published is sold, but not in the online store. */
const toStatus = (status: string, published: string): string => {
  const isHidden = published.toLowerCase() === 'false';
  switch (status.toLowerCase()) {
    case '':
      return isHidden ? 'DRAFT' : 'ON_SALE';
    case 'active':
      return isHidden ? 'OFF_SALE' : 'ON_SALE';
    case 'draft':
      return 'DRAFT';
    case 'archived':
    case 'unlisted':
      return 'OFF_SALE';
    default:
      return status;
  }
};

/**
 * Merges the variants of a product: the lowest price, the compare-at price of that variant if it is higher, and the stock of all together.
 * An invalid price or stock is returned as it is, so that the product is rejected instead of sold at another variant's price.
 */
const foldVariants = (rows: readonly SourceRecord[], read: ReadColumn, options: ReadOptions): Record<string, Value> => {
  let cheapest: { readonly cents: number; readonly row: SourceRecord } | undefined;
  let stock: number | undefined;
  for (const row of rows) {
    const price = read(row, 'price');
    if (price === '') continue;
    const cents = centsOf(price, options);
    if (cents === undefined) return { price };
    if (!cheapest || cents < cheapest.cents) cheapest = { cents, row };

    const quantity = read(row, 'stock');
    const isUnlimited = read(row, 'tracker') === '' || /^(continue|true)$/i.test(read(row, 'policy'));
    // Shops with several locations export quantities to another file.
    if (quantity === '' && !isUnlimited) continue;
    if (!/^(?:-?\d{1,9})?$/.test(quantity)) return { price, stock: quantity };
    stock = (stock ?? 0) + Math.max(Number(quantity), isUnlimited ? (options.stock ?? SOME) : 0);
  }
  if (!cheapest) return { price: '' };
  const { row, cents } = cheapest;
  const compareAt = read(row, 'listPrice');
  const compareCents = centsOf(compareAt, options);
  // One that is no amount is kept, so that it is reported.
  const listPrice = compareCents === undefined || compareCents > cents ? compareAt : '';
  return { price: read(row, 'price'), listPrice, stock: stock?.toString() ?? '' };
};
