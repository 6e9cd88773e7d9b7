import { amount } from '../fields.ts';
import type { SourceRecord, Value } from '../record.ts';
import { createColumns, type Draft, type Format, plainName } from './format.ts';

/** Of the columns of a product export, in both of the spellings that Shopify has had: https://help.shopify.com/en/manual/products/import-export/using-csv */
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

export type ShopifyColumn = keyof typeof NAMES;

/** Reads a column of a record; '' where it has none. */
export type ReadColumn = (record: SourceRecord, column: ShopifyColumn) => string;

/** The most rows that are one product: Shopify allows 2,048 variants and 250 pictures. */
const MAX_ROWS = 5000;

const COLUMN_OF_FIELD: Readonly<Record<string, ShopifyColumn>> = { category: 'type', imageUrl: 'imageUrls' };

/** Shopify's export of products: the first row of a handle is the product, every row may be a variant, a picture or both. */
export const shopify: Format = {
  name: 'shopify',
  summary: 'Shopify’s CSV export of products',
  kind: 'product',
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    return plain.has('title') && (plain.has('handle') || plain.has('urlhandle'));
  },
  open: () => {
    const columns = createColumns(NAMES);
    let rows: SourceRecord[] = [];
    let brokenLine: number | undefined;

    const read: ReadColumn = ({ fields }, column) => {
      const value = columns.get(fields, column);
      return typeof value === 'string' ? value.trim() : '';
    };
    const end = (): Draft[] => {
      const [first] = rows;
      const drafts = first ? [{ ...toDraft(first, rows, read), refusal: refusalOf(brokenLine) }] : [];
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
        // A row whose handle is not known may be any product's, and the next one's first row would be missed there.
        if (first && (handle === '' || handle === read(first, 'slug'))) brokenLine ??= record.line;
      },
      end,
      columnOf: (field) => columns.columnOf(COLUMN_OF_FIELD[field] ?? (field as ShopifyColumn)),
      uses: columns.uses,
    };
  },
};

const refusalOf = (brokenLine: number | undefined): string | undefined =>
  brokenLine === undefined ? undefined : `is not taken, because one of its rows, in line ${brokenLine}, is broken`;

/** Shopify's own word for a product without a type is none. */
const WITHOUT_TYPE = 'Uncategorized';

const toDraft = (first: SourceRecord, rows: readonly SourceRecord[], read: ReadColumn): Draft => {
  const pictures = rows
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
    imageUrl: pictures[0] ?? '',
    imageUrls: pictures,
    status: toStatus(read(first, 'status'), read(first, 'published')),
    ...foldVariants(rows, read),
  };
  return { line: first.line, values, doubt: doubtOf(first, rows, read) };
};

const doubtOf = (first: SourceRecord, rows: readonly SourceRecord[], read: ReadColumn): Draft['doubt'] => {
  if (read(first, 'name') === '') return 'headless';
  // Shopify ends each line. A spreadsheet may leave out the last line end, so this alone is no proof.
  return rows.at(-1)?.isUnterminated ? 'unterminated' : undefined;
};

/** Active but not published is for sale elsewhere than in the online store. */
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

/** One of a variant that is always for sale counts as one piece, so that the product shows as in stock. */
const ALWAYS = 1n;

/**
 * A product with variants is one here: at the lowest price, with the compare-at price of that variant where it is higher, and the stock of
 * all together. A price that cannot be read is given as it is, so that the row is refused rather than sold at another variant's price.
 */
const foldVariants = (rows: readonly SourceRecord[], read: ReadColumn): Record<string, Value> => {
  let cheapest: { readonly cents: bigint; readonly row: SourceRecord } | undefined;
  let stock = 0n;
  for (const row of rows) {
    const price = read(row, 'price');
    if (price === '') continue;
    const cents = toCents(price);
    if (cents === undefined) return { price };
    if (!cheapest || cents < cheapest.cents) cheapest = { cents, row };

    const quantity = read(row, 'stock');
    if (!/^-?\d{1,9}$/.test(quantity || '0')) return { price, stock: quantity };
    const isEndless = read(row, 'tracker') === '' || /^(continue|true)$/i.test(read(row, 'policy'));
    const left = BigInt(quantity || '0');
    stock += left > 0n ? left : isEndless ? ALWAYS : 0n;
  }
  if (!cheapest) return { price: '' };
  const { row, cents } = cheapest;
  const compareAt = read(row, 'listPrice');
  const compareCents = toCents(compareAt);
  const listPrice = compareCents === undefined || compareCents > cents ? compareAt : '';
  return { price: read(row, 'price'), listPrice, stock: String(stock) };
};

/** Exact, for comparing; undefined where it is no amount. */
const toCents = (text: string): bigint | undefined => {
  const parsed = amount(text);
  return typeof parsed === 'string' ? BigInt(parsed.replace('.', '')) : undefined;
};
