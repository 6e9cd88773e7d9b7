import { OperatorError } from '../../errors.ts';
import { centsOf } from '../fields/amount.ts';
import { slugOf } from '../fields/slug.ts';
import { SOME } from '../fields/stock.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { createColumns, plainName } from './columns.ts';
import type { Draft, Format, FormatOptions, FormatReader } from './format.ts';
import { offerOf } from './sale.ts';

/** The columns that are read: https://github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema */
const NAMES = {
  id: ['ID'],
  type: ['Type'],
  sku: ['SKU'],
  name: ['Name'],
  published: ['Published'],
  visibility: ['Visibility in catalog'],
  subtitle: ['Short description'],
  description: ['Description'],
  saleStart: ['Date sale price starts'],
  saleEnd: ['Date sale price ends'],
  inStock: ['In stock?'],
  stock: ['Stock'],
  sale: ['Sale price'],
  price: ['Regular price'],
  category: ['Categories'],
  tags: ['Tags'],
  brand: ['Brands'],
  imageUrls: ['Images'],
  parent: ['Parent'],
  members: ['Grouped products'],
} as const;

type Column = keyof typeof NAMES;
type ReadColumn = (record: SourceRecord, column: Column) => string;

/** Variable products wait for their variations until the end of the file, in memory, and groups for the prices of their members. */
const MAX_WAITING = 50_000;

/** The prices that are remembered for groups. */
const MAX_PRICES = 200_000;

const COLUMN_OF_FIELD: Readonly<Record<string, Column>> = {
  slug: 'name',
  listPrice: 'price',
  imageUrl: 'imageUrls',
  status: 'published',
};

/** WooCommerce's own export of products. The variations of a product have rows of their own, anywhere in the file. */
export const woocommerce: Format = {
  name: 'woocommerce',
  summary: 'WooCommerce’s CSV export of products',
  kind: 'product',
  columns: Object.values(NAMES).flat(),
  keys: ['slug', 'sku'],
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    return ['type', 'name', 'published', 'regularprice'].every((column) => plain.has(column));
  },
  open: (options) => openWooCommerce(options),
};

const openWooCommerce = (options: FormatOptions): FormatReader => {
  const columns = createColumns(NAMES);
  const read: ReadColumn = ({ fields }, column) => {
    const value = columns.get(fields, column);
    // The export writes an apostrophe before what a spreadsheet would take for a formula, such as -1.
    return typeof value === 'string' ? value.trim().replace(/^'(?=[=+@-])/, '') : '';
  };
  const parents: SourceRecord[] = [];
  const groups: SourceRecord[] = [];
  const priceOf = new Map<string, string>();
  const variationsOf = new Map<string, SourceRecord[]>();
  let brokenVariationLine: number | undefined;

  const learn = ({ fields }: SourceRecord): void => {
    for (const column of Object.keys(fields)) columns.uses(column);
  };
  const isOf = (record: SourceRecord, type: string): boolean =>
    read(record, 'type')
      .split(/[,\s]+/)
      .includes(type);
  /** How variations name a product. */
  const namesOf = (record: SourceRecord): string[] => [read(record, 'sku'), `id:${read(record, 'id')}`].filter(Boolean);

  const remembered = (record: SourceRecord, draft: Draft): Draft => {
    const { price } = draft.values;
    if (typeof price === 'string' && priceOf.size < MAX_PRICES) {
      for (const name of namesOf(record)) priceOf.set(name, price);
    }
    return draft;
  };
  /** A group has no price of its own: it costs what its cheapest member costs. */
  const toGroup = (record: SourceRecord): Draft => {
    const draft = toDraft(record, [], read, options);
    const prices = listOf(read(record, 'members')).map((member) => priceOf.get(member) ?? '');
    const cents = prices.map((price) => centsOf(price, options) ?? Number.POSITIVE_INFINITY);
    const cheapest = prices[cents.indexOf(Math.min(...cents))] ?? '';
    if (cheapest !== '') return { ...draft, values: { ...draft.values, price: cheapest } };
    return { ...draft, rejection: 'is a group of products, none of which is in the file with a price' };
  };

  return {
    read: (record) => {
      learn(record);
      if (isOf(record, 'variation')) {
        const parent = read(record, 'parent');
        variationsOf.set(parent, [...(variationsOf.get(parent) ?? []), record]);
        return [];
      }
      const isGroup = isOf(record, 'grouped');
      if (isGroup || isOf(record, 'variable')) {
        if (parents.length + groups.length >= MAX_WAITING) {
          throw new OperatorError(`A file may have ${MAX_WAITING} variable or grouped products: split it.`);
        }
        (isGroup ? groups : parents).push(record);
        return [];
      }
      return [remembered(record, toDraft(record, [], read, options))];
    },
    readBroken: (record) => {
      learn(record);
      // One whose type cannot be read may be a variation of any product.
      if (read(record, 'type') === '' || isOf(record, 'variation')) brokenVariationLine ??= record.line;
    },
    end: () => {
      const drafts = parents.map((parent): Draft => {
        const names = namesOf(parent);
        const variations = names.flatMap((name) => variationsOf.get(name) ?? []);
        for (const name of names) variationsOf.delete(name);
        const draft = remembered(parent, toDraft(parent, variations, read, options));
        if (brokenVariationLine === undefined) return draft;
        return {
          ...draft,
          rejection: `is not imported, because line ${brokenVariationLine}, which is broken, may be a variation of it`,
        };
      });
      const orphans = [...variationsOf].flatMap(([parent, records]) =>
        records.map((record): Draft => {
          const rejection = `is a variation of "${parent}", which is not in the file`;
          return { ...placeOf(record), values: { slug: read(record, 'name'), name: read(record, 'name') }, rejection };
        }),
      );
      return [...drafts, ...groups.map(toGroup), ...orphans];
    },
    columnOf: (field) => {
      if (field === 'slug' && options.key === 'sku') return columns.columnOf('sku');
      return columns.columnOf(COLUMN_OF_FIELD[field] ?? (field as Column));
    },
    uses: columns.uses,
  };
};

const toDraft = (
  record: SourceRecord,
  variations: readonly SourceRecord[],
  read: ReadColumn,
  options: FormatOptions,
): Draft => {
  const name = read(record, 'name');
  const { slug, slugSource } = slugOf(name, read(record, 'sku'), options.key);
  const values: Record<string, Value> = {
    slug,
    name,
    subtitle: linesOf(read(record, 'subtitle')),
    description: linesOf(read(record, 'description')),
    brand: listOf(read(record, 'brand'))[0] ?? '',
    category: categoryOf(read(record, 'category')),
    tags: listOf(read(record, 'tags')),
    imageUrls: [record, ...variations].flatMap((each) => listOf(read(each, 'imageUrls'))),
    status: statusOf(read(record, 'published'), read(record, 'visibility')),
    ...foldVariations(record, variations, read, options),
  };
  return { ...placeOf(record), values, slugSource };
};

/** The lowest price of the variations that are sold, and the stock of all together. A price or stock that is none is kept, and is reported. */
const foldVariations = (
  record: SourceRecord,
  variations: readonly SourceRecord[],
  read: ReadColumn,
  options: FormatOptions,
): Record<string, Value> => {
  const offer = (row: SourceRecord) =>
    offerOf(read(row, 'price'), read(row, 'sale'), read(row, 'saleStart'), read(row, 'saleEnd'));
  const sold = variations.filter((row) => read(row, 'published') !== '0' && offer(row).price !== '');
  if (sold.length === 0) {
    const isUncounted = read(record, 'stock') === '' && read(record, 'inStock') !== '';
    const word = isAvailable(record, read) ? 'in stock' : 'out of stock';
    return { ...offer(record), stock: isUncounted ? word : piecesOf(record, read, options) };
  }

  const offers = sold.map(offer);
  const cents = offers.map(({ price }) => centsOf(price, options));
  const invalid = cents.indexOf(undefined);
  const cheapest = offers[invalid === -1 ? cents.indexOf(Math.min(...cents.map(Number))) : invalid];
  // Variations that share the stock of the product say `parent`.
  const stocked = sold.filter((row) => read(row, 'stock') !== 'parent');
  const pieces = [...stocked, ...(stocked.length < sold.length ? [record] : [])].map((row) =>
    piecesOf(row, read, options),
  );
  const stock =
    pieces.find((each) => !/^\d{1,9}$/.test(each)) ?? String(pieces.reduce((sum, each) => sum + Number(each), 0));
  return { ...cheapest, stock };
};

const piecesOf = (row: SourceRecord, read: ReadColumn, options: FormatOptions): string => {
  const stock = read(row, 'stock');
  if (stock === '' && read(row, 'inStock') === '') return '';
  // What is sold on back order has no pieces, or fewer than none.
  if (stock === '' || /^-|^0(?:\.0+)?$/.test(stock))
    return isAvailable(row, read) ? String(options.stock ?? SOME) : '0';
  return stock.replace(/\.0+$/, '');
};

const isAvailable = (row: SourceRecord, read: ReadColumn): boolean =>
  !['', '0', 'false'].includes(read(row, 'inStock'));

const statusOf = (published: string, visibility: string): string => {
  if (published === '-1') return 'DRAFT';
  return published === '0' || visibility === 'hidden' ? 'OFF_SALE' : 'ON_SALE';
};

/** Items with commas between them; a comma inside one has a backslash. */
const listOf = (text: string): string[] =>
  text
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter(Boolean);

/** The deepest of several categories: the export names the parents of a category, too. */
const categoryOf = (text: string): string => {
  const [deepest = 'Uncategorized'] = listOf(text).toSorted((one, other) => depthOf(other) - depthOf(one));
  return deepest;
};

const depthOf = (path: string): number => path.split('>').length;

/** The export writes line ends as `\n`. */
const linesOf = (text: string): string => text.replaceAll(/(?<!\\)\\n/g, '\n').replaceAll('\\\\n', '\\n');
