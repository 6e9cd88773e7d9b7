import { OperatorError } from '../../errors.ts';
import { centsOf } from '../fields/amount.ts';
import { slugOf } from '../fields/slug.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { createColumns, pick, plainName } from './columns.ts';
import type { Draft, Format, FormatOptions, FormatReader } from './format.ts';
import { offerOfAll, soldOf, stockOf, type WooCommerceFile } from './woocommerce-variations.ts';

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

export type WooCommerceColumn = keyof typeof NAMES;

/** Columns that are in no other format. */
const OWN = ['regularprice', 'saleprice', 'visibilityincatalog', 'datesalepricestarts', 'groupedproducts'];

/** Variable products wait for their variations until the end of the file, in memory, and groups for the prices of their members. */
const MAX_WAITING = 50_000;

/** The prices that are remembered for groups. */
const MAX_PRICES = 200_000;

const COLUMN_OF_FIELD: Readonly<Record<string, WooCommerceColumn>> = {
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
    const has = (...names: readonly string[]): boolean => names.some((name) => plain.has(name));
    if (['type', 'name', 'published', 'regularprice'].every((column) => plain.has(column))) return true;
    // A file of few columns, and none that another format has in the place of WooCommerce's.
    const isOwn = has(...OWN) || (has('type') && has('published'));
    return isOwn && has('name', 'sku') && !has('price', 'slug', 'title', 'category', 'listprice');
  },
  open: (options) => openWooCommerce(options),
};

const VARIABLE = /^variable(?:[-_]|$)/;
const VARIATION = /(?:^|[-_])variation$/;
const GROUPED = /^grouped$/;

const openWooCommerce = (options: FormatOptions): FormatReader => {
  const columns = createColumns(NAMES);
  const file: WooCommerceFile = {
    has: columns.has,
    read: ({ fields }, column) => {
      const value = columns.get(fields, column);
      // The export writes an apostrophe before what a spreadsheet would take for a formula, such as -1.
      return typeof value === 'string' ? value.trim().replace(/^'(?=[=+@-])/, '') : '';
    },
    columnOf: columns.columnOf,
  };
  const { has, read } = file;
  const parents: SourceRecord[] = [];
  const groups: SourceRecord[] = [];
  const priceOf = new Map<string, string>();
  const variationsOf = new Map<string, SourceRecord[]>();
  let brokenVariationLine: number | undefined;

  const learn = ({ fields }: SourceRecord): void => {
    for (const column of Object.keys(fields)) columns.uses(column);
  };
  /** Extensions have types of their own: `variable-subscription` has variations, and its variations are a `subscription_variation`. */
  const isOf = (record: SourceRecord, type: RegExp): boolean =>
    read(record, 'type')
      .toLowerCase()
      .split(/[,\s]+/)
      .some((word) => type.test(word));
  // Without that column, any product may have variations.
  const isVariable = (record: SourceRecord): boolean => isOf(record, VARIABLE) || (!has('type') && has('parent'));
  const isVariation = (record: SourceRecord): boolean =>
    isOf(record, VARIATION) || (read(record, 'type') === '' && read(record, 'parent') !== '');
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
    const draft = toDraft(record, [], file, options);
    if (!has('price') && !has('sale')) return draft;
    const prices = listOf(read(record, 'members')).map((member) => priceOf.get(member) ?? '');
    const cents = prices.map((price) => centsOf(price, options) ?? Number.POSITIVE_INFINITY);
    const cheapest = prices[cents.indexOf(Math.min(...cents))] ?? '';
    if (cheapest !== '') return { ...draft, values: { ...draft.values, price: cheapest, listPrice: '' } };
    return { ...draft, rejection: 'is a group of products, none of which is in the file with a price' };
  };

  return {
    read: (record) => {
      learn(record);
      if (isVariation(record)) {
        const parent = read(record, 'parent');
        variationsOf.set(parent, [...(variationsOf.get(parent) ?? []), record]);
        return [];
      }
      const isGroup = isOf(record, GROUPED);
      if (isGroup || isVariable(record)) {
        if (parents.length + groups.length >= MAX_WAITING) {
          throw new OperatorError(`A file may have ${MAX_WAITING} variable or grouped products: split it.`);
        }
        (isGroup ? groups : parents).push(record);
        return [];
      }
      return [remembered(record, toDraft(record, [], file, options))];
    },
    readBroken: (record) => {
      learn(record);
      // One whose type cannot be read may be a variation of any product.
      if (read(record, 'type') === '' || isVariation(record)) brokenVariationLine ??= record.line;
    },
    end: () => {
      const drafts = parents.map((parent): Draft => {
        const names = namesOf(parent);
        const variations = names.flatMap((name) => variationsOf.get(name) ?? []);
        for (const name of names) variationsOf.delete(name);
        const draft = remembered(parent, toDraft(parent, variations, file, options));
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
      return columns.columnOf(COLUMN_OF_FIELD[field] ?? (field as WooCommerceColumn));
    },
    uses: columns.uses,
  };
};

const toDraft = (
  record: SourceRecord,
  variations: readonly SourceRecord[],
  file: WooCommerceFile,
  options: FormatOptions,
): Draft => {
  const { has, read } = file;
  const name = read(record, 'name');
  const { slug, slugSource } = slugOf(name, read(record, 'sku'), options);
  const sold = soldOf(variations, file);
  const offer = offerOfAll(record, sold, file, options);
  const values: Record<string, Value> = {
    slug,
    ...pick(['name'], has, () => name),
    ...pick(['subtitle', 'description'], has, (column) => linesOf(read(record, column))),
    ...pick(['brand'], has, () => listOf(read(record, 'brand'))[0] ?? ''),
    ...pick(['category'], has, () => categoryOf(read(record, 'category'), options)),
    ...pick(['tags'], has, () => listOf(read(record, 'tags'))),
    ...pick(['imageUrls'], has, () => [record, ...variations].flatMap((each) => listOf(read(each, 'imageUrls')))),
    status: statusOf(read(record, 'published'), read(record, 'visibility')),
    stock: stockOf(record, sold, file, options),
    ...offer.values,
  };
  const ifNew = { ...offer.ifNew, ...(!has('category') && { category: categoryOf('', options) }) };
  return { ...placeOf(record), values, ifNew, slugSource, columns: offer.columns };
};

/** Private products are off sale; drafts and those that are pending review were never on sale. */
const STATUS_OF_PUBLISHED: Readonly<Record<string, string>> = {
  '1': 'ON_SALE',
  true: 'ON_SALE',
  yes: 'ON_SALE',
  '0': 'OFF_SALE',
  false: 'OFF_SALE',
  no: 'OFF_SALE',
  '-1': 'DRAFT',
  '2': 'DRAFT',
};

/** A hidden product can be bought by its address alone, which a catalogue does not show. Empty where neither column says anything. */
const statusOf = (published: string, visibility: string): string => {
  const status =
    published === '' ? '' : (STATUS_OF_PUBLISHED[published.toLowerCase().replace(/\.0+$/, '')] ?? published);
  return visibility === 'hidden' && (status === '' || status === 'ON_SALE') ? 'OFF_SALE' : status;
};

/** Items with commas between them; a comma inside one has a backslash. */
const listOf = (text: string): string[] =>
  text
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter(Boolean);

/** The deepest of several categories: the export names the parents of a category, too. */
const categoryOf = (text: string, { category = 'Uncategorized' }: FormatOptions): string => {
  const [deepest = category] = listOf(text).toSorted((one, other) => depthOf(other) - depthOf(one));
  return deepest;
};

const depthOf = (path: string): number => path.split('>').length;

/** The export writes line ends as `\n`. */
const linesOf = (text: string): string => text.replaceAll(/(?<!\\)\\n/g, '\n').replaceAll('\\\\n', '\\n');
