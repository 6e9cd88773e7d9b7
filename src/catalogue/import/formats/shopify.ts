import type { SourceRecord, Value } from '../value.ts';
import { createColumns } from './columns.ts';
import { type Draft, type Format, plainName } from './format.ts';
import { foldVariants } from './shopify-variants.ts';

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

    const read: ReadColumn = ({ fields }, column) => {
      const value = columns.get(fields, column);
      return typeof value === 'string' ? value.trim() : '';
    };
    const end = (): Draft[] => {
      const [first] = rows;
      const drafts = first ? [toDraft(first, rows, read)] : [];
      rows = [];
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
      end,
      columnOf: (field) => columns.columnOf(COLUMN_OF_FIELD[field] ?? (field as ShopifyColumn)),
      uses: columns.uses,
    };
  },
};

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
  return { line: first.line, values };
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
