import { centsOf } from '../fields/amount.ts';
import { SOME } from '../fields/stock.ts';
import type { ReadOptions } from '../fields/values.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { createColumns, pick, plainName } from './columns.ts';
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

/** How rows of one file are read. */
interface ShopifyFile {
  /** Whether the file has a column. What it lacks stays as it is in the catalogue. */
  readonly has: (column: ShopifyColumn) => boolean;
  /** The text of a column, or an empty text. */
  readonly read: (record: SourceRecord, column: ShopifyColumn) => string;
  /** The items of a column: with commas between them, or a list in JSON. */
  readonly list: (record: SourceRecord, column: ShopifyColumn) => readonly Value[];
  readonly columnOf: (column: ShopifyColumn) => string;
}

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

    const file: ShopifyFile = {
      has: columns.has,
      read: ({ fields }, column) => {
        const value = columns.get(fields, column);
        return typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value.trim() : '';
      },
      columnOf: columns.columnOf,
      list: ({ fields }, column) => {
        const value = columns.get(fields, column);
        return Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
      },
    };
    const { read } = file;
    const end = (): Draft[] => {
      const [first] = rows;
      const drafts = first ? [{ ...toDraft(first, rows, file, options), rejection: rejectionOf(brokenLine) }] : [];
      rows = [];
      brokenLine = undefined;
      return drafts;
    };

    return {
      read: (record) => {
        for (const column of Object.keys(record.fields)) columns.uses(column);
        const [first] = rows;
        const isSame = first && read(first, 'slug') === read(record, 'slug');
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

const toDraft = (
  first: SourceRecord,
  rows: readonly SourceRecord[],
  file: ShopifyFile,
  options: ReadOptions,
): Draft => {
  const { has, read } = file;
  const named = read(first, 'type') || read(first, 'taxonomy');
  const category = named || (options.category ?? WITHOUT_TYPE);
  // A product that has neither is of no category, if the file has both columns.
  const hasCategory = named !== '' || (has('type') && has('taxonomy'));
  const values: Record<string, Value> = {
    slug: read(first, 'slug'),
    ...pick(['name', 'description', 'brand'], has, (column) => read(first, column)),
    ...(hasCategory && { category }),
    ...(has('tags') && { tags: [...file.list(first, 'tags')] }),
    ...(has('imageUrls') && picturesOf(rows, file)),
    ...((has('status') || has('published')) && { status: toStatus(read(first, 'status'), read(first, 'published')) }),
    ...foldVariants(rows, file, options),
  };
  return {
    ...placeOf(first),
    values,
    ifNew: hasCategory ? undefined : { category },
    columns: hasCategory && read(first, 'type') === '' ? { category: file.columnOf('taxonomy') } : undefined,
    doubt: doubtOf(first, rows, file),
  };
};

const picturesOf = (rows: readonly SourceRecord[], { read }: ShopifyFile): Record<string, Value> => {
  const images = rows
    .filter((row) => read(row, 'imageUrls') !== '')
    .sort((one, other) => Number(read(one, 'imagePosition')) - Number(read(other, 'imagePosition')))
    .map((row) => read(row, 'imageUrls'));
  return { imageUrl: images[0] ?? '', imageUrls: images };
};

const doubtOf = (first: SourceRecord, rows: readonly SourceRecord[], { has, read }: ShopifyFile): Draft['doubt'] => {
  if (has('name') && read(first, 'name') === '') return 'continuation';
  // Shopify ends every line, but a spreadsheet may omit the last line end, so a missing one is no proof of a cut.
  return rows.at(-1)?.isUnterminated ? 'unterminated' : 'together';
};

/** An active product that is not published is sold, but not in the online store. Where neither is said, the product keeps its status. */
const toStatus = (status: string, published: string): string => {
  const isHidden = published.toLowerCase() === 'false';
  switch (status.toLowerCase()) {
    case '':
      if (published === '') return '';
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
const foldVariants = (
  rows: readonly SourceRecord[],
  file: ShopifyFile,
  options: ReadOptions,
): Record<string, Value> => ({ ...foldPrices(rows, file, options), ...foldStock(rows, file, options) });

const foldPrices = (
  rows: readonly SourceRecord[],
  { has, read }: ShopifyFile,
  options: ReadOptions,
): Record<string, Value> => {
  if (!has('price')) {
    const listPrices = new Set(rows.map((row) => read(row, 'listPrice')).filter(Boolean));
    // Several belong to variants whose prices the file does not say.
    return has('listPrice') && listPrices.size <= 1 ? { listPrice: [...listPrices][0] ?? '' } : {};
  }
  let cheapest: { readonly cents: number; readonly row: SourceRecord } | undefined;
  for (const row of rows) {
    const price = read(row, 'price');
    if (price === '') continue;
    const cents = centsOf(price, options);
    if (cents === undefined) return { price };
    if (!cheapest || cents < cheapest.cents) cheapest = { cents, row };
  }
  if (!cheapest) return { price: '' };
  const { row, cents } = cheapest;
  const price = read(row, 'price');
  if (!has('listPrice')) return { price };
  const compareAt = read(row, 'listPrice');
  const compareCents = centsOf(compareAt, options);
  // One that is no amount is kept, so that it is reported.
  return { price, listPrice: compareCents === undefined || compareCents > cents ? compareAt : '' };
};

const foldStock = (
  rows: readonly SourceRecord[],
  { has, read }: ShopifyFile,
  options: ReadOptions,
): Record<string, Value> => {
  let pieces: number | undefined;
  let isUncounted = false;
  for (const row of rows) {
    const quantity = read(row, 'stock');
    const isVariant = quantity !== '' || (has('price') ? read(row, 'price') : read(row, 'policy')) !== '';
    if (!isVariant) continue;
    const isUnlimited =
      (has('tracker') && read(row, 'tracker') === '') || /^(continue|true)$/i.test(read(row, 'policy'));
    // Shops with several locations export quantities to another file.
    if (quantity === '' && !isUnlimited) continue;
    if (!/^(?:-?\d{1,9})?$/.test(quantity)) return { stock: quantity };
    isUncounted ||= quantity === '' && !has('stock');
    pieces = (pieces ?? 0) + Math.max(Number(quantity), isUnlimited ? (options.stock ?? SOME) : 0);
  }
  if (pieces === undefined) return {};
  return { stock: isUncounted ? 'in stock' : String(pieces) };
};
