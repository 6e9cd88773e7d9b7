import { OperatorError } from '../../errors.ts';
import { centsOf, type Offer, offerOf } from '../fields/price.ts';
import { slugOf } from '../fields/slug.ts';
import { SOME, TRUE } from '../fields/values.ts';
import { placeOf, type SourceRecord } from '../record.ts';
import { type Draft, defineFormat, type FormatFile, pick } from './format.ts';

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
};

type Column = keyof typeof NAMES;

/** Variable products wait for their variations until the end of the file, in memory, and groups for the prices of their members. */
const MAX_WAITING = 50_000;

/** The prices that are remembered for groups. */
const MAX_PRICES = 200_000;

// Extensions have types of their own: `variable-subscription` has variations, and its variations are a `subscription_variation`.
const VARIABLE = /(?:^|[,\s])variable(?:[-_,\s]|$)/i;
const VARIATION = /(?:^|[-_,\s])variation(?:[,\s]|$)/i;
const GROUPED = /(?:^|[,\s])grouped(?:[,\s]|$)/i;

/** WooCommerce's own export of products. The variations of a product have rows of their own, anywhere in the file. */
export const woocommerce = defineFormat({
  name: 'woocommerce',
  summary: 'WooCommerce’s CSV export of products',
  kind: 'product',
  names: NAMES,
  columnOf: { slug: 'name', listPrice: 'price', imageUrl: 'imageUrls', status: 'published' },
  keys: ['slug', 'sku'],
  recognises: (has) => {
    if (has('type') && has('name') && has('published') && has('regularprice')) return true;
    // A file of few columns, and none that another format has in the place of WooCommerce's.
    const isOwn =
      has('regularprice', 'saleprice', 'visibilityincatalog', 'datesalepricestarts', 'groupedproducts') ||
      (has('type') && has('published'));
    return isOwn && has('name', 'sku') && !has('price', 'slug', 'title', 'category', 'listprice');
  },
  open: (columns) => {
    const file: WooCommerceFile = {
      ...columns,
      // The export writes an apostrophe before what a spreadsheet would take for a formula, such as -1.
      text: (record, column) => columns.text(record, column).replace(/^'(?=[=+@-])/, ''),
    };
    const { has, text, options } = file;
    const parents: SourceRecord[] = [];
    const groups: SourceRecord[] = [];
    const priceOf = new Map<string, string>();
    const variationsOf = new Map<string, SourceRecord[]>();
    let rejection: string | undefined;

    const isVariation = (record: SourceRecord): boolean =>
      VARIATION.test(text(record, 'type')) || (text(record, 'type') === '' && text(record, 'parent') !== '');
    // Without that column, any product may have variations.
    const isVariable = (record: SourceRecord): boolean =>
      VARIABLE.test(text(record, 'type')) || (!has('type') && has('parent'));
    /** How variations name a product. */
    const namesOf = (record: SourceRecord): string[] =>
      [text(record, 'sku'), `id:${text(record, 'id')}`].filter(Boolean);

    const remembered = (record: SourceRecord, draft: Draft): Draft => {
      const { price } = draft.values;
      if (typeof price === 'string' && priceOf.size < MAX_PRICES) {
        for (const name of namesOf(record)) priceOf.set(name, price);
      }
      return draft;
    };
    const toParent = (record: SourceRecord): Draft => {
      const names = namesOf(record);
      const variations = names.flatMap((name) => variationsOf.get(name) ?? []);
      for (const name of names) variationsOf.delete(name);
      return { ...remembered(record, toDraft(record, variations, file)), rejection };
    };
    /** A group has no price of its own: it costs what its cheapest member costs. */
    const toGroup = (record: SourceRecord): Draft => {
      const draft = toDraft(record, [], file);
      if (!has('price') && !has('sale')) return draft;
      const prices = listOf(text(record, 'members')).map((member) => priceOf.get(member) ?? '');
      const cents = prices.map((price) => centsOf(price, options) ?? Number.POSITIVE_INFINITY);
      const price = prices[cents.indexOf(Math.min(...cents))] ?? '';
      if (price !== '') return { ...draft, values: { ...draft.values, price, listPrice: '' } };
      return { ...draft, rejection: 'is a group of products, none of which is in the file with a price' };
    };
    const toOrphan = (record: SourceRecord): Draft => ({
      ...placeOf(record),
      values: { slug: text(record, 'name'), name: text(record, 'name') },
      rejection: `is a variation of "${text(record, 'parent')}", which is not in the file`,
    });

    return {
      read: (record) => {
        const isGroup = GROUPED.test(text(record, 'type'));
        if (isVariation(record)) {
          const parent = text(record, 'parent');
          variationsOf.set(parent, [...(variationsOf.get(parent) ?? []), record]);
        } else if (isGroup || isVariable(record)) {
          if (parents.length + groups.length >= MAX_WAITING)
            throw new OperatorError(`A file may have ${MAX_WAITING} variable or grouped products: split it.`);
          (isGroup ? groups : parents).push(record);
        } else return [remembered(record, toDraft(record, [], file))];
        return [];
      },
      readBroken: (record) => {
        // One whose type cannot be read may be a variation of any product.
        if (text(record, 'type') === '' || isVariation(record))
          rejection ??= `is not imported, because line ${record.line}, which is broken, may be a variation of it`;
      },
      end: () => {
        const drafts = parents.map(toParent);
        return [...drafts, ...groups.map(toGroup), ...[...variationsOf.values()].flat().map(toOrphan)];
      },
    };
  },
});

type WooCommerceFile = FormatFile<Column>;

const toDraft = (record: SourceRecord, variations: readonly SourceRecord[], file: WooCommerceFile): Draft => {
  const { has, text, options } = file;
  const read = (column: Column): string => text(record, column);
  const { slug, slugSource } = slugOf(read('name'), options);
  // The variations that can be bought: they are published, and have a price if the file has prices.
  const sold = variations.filter(
    (row) => text(row, 'published') !== '0' && (!has('price') || offerOfRow(row, file).price !== ''),
  );
  const offer = lowestOffer(sold.length === 0 ? [record] : sold, file);
  return {
    ...placeOf(record),
    slugSource,
    values: {
      ...(slug !== undefined && { slug }),
      ...pick(options.key === 'sku' ? ['sku', 'name'] : ['name'], file, read),
      ...pick(['subtitle', 'description'], file, (column) => linesOf(read(column))),
      ...pick(['brand'], file, () => listOf(read('brand'))[0] ?? ''),
      ...pick(['category'], file, () => categoryOf(read('category'), file)),
      ...pick(['tags'], file, () => listOf(read('tags'))),
      ...pick(['imageUrls'], file, () => [record, ...variations].flatMap((each) => listOf(text(each, 'imageUrls')))),
      status: statusOf(read('published'), read('visibility')),
      stock: stockOf(record, sold, file),
      ...offer.values,
    },
    ifNew: { ...offer.ifNew, ...(!has('category') && { category: categoryOf('', file) }) },
    columns: offer.columns,
  };
};

const offerOfRow = (row: SourceRecord, file: WooCommerceFile): Offer =>
  offerOf(file, {
    regular: file.text(row, 'price'),
    sale: file.text(row, 'sale'),
    from: file.text(row, 'saleStart'),
    to: file.text(row, 'saleEnd'),
  });

/** A price that is none is kept, and is reported. */
const lowestOffer = (
  rows: readonly SourceRecord[],
  file: WooCommerceFile,
): Pick<Draft, 'values' | 'ifNew' | 'columns'> => {
  const offers = rows.map((row) => offerOfRow(row, file));
  // A variation whose price the file does not say may be the cheapest.
  if (offers.some(({ price }) => price === '')) return { values: {} };
  const cents = offers.map(({ price }) => centsOf(price, file.options) ?? -1);
  return offers[cents.indexOf(Math.min(...cents))] as Offer;
};

/** The pieces of all variations together, or of the product itself. What is no number is kept, and is reported. */
const stockOf = (record: SourceRecord, sold: readonly SourceRecord[], file: WooCommerceFile): string => {
  const { has, text } = file;
  // Variations that share the stock of the product say `parent`.
  const own = sold.filter((row) => text(row, 'stock') !== 'parent');
  const rows = own.length < sold.length || sold.length === 0 ? [...own, record] : own;
  const isUncounted = !has('stock') || (sold.length === 0 && text(record, 'stock') === '');
  if (isUncounted) {
    if (!has('inStock') || rows.every((row) => text(row, 'inStock') === '')) return '';
    return rows.some((row) => isAvailable(row, file)) ? 'in stock' : 'out of stock';
  }
  const pieces = rows.map((row) => piecesOf(row, file));
  return pieces.find((each) => !/^\d{1,9}$/.test(each)) ?? String(pieces.reduce((sum, each) => sum + Number(each), 0));
};

const piecesOf = (row: SourceRecord, file: WooCommerceFile): string => {
  const stock = file.text(row, 'stock');
  if (stock === '' && file.text(row, 'inStock') === '') return '';
  // What is sold on back order has no pieces, or fewer than none.
  if (stock === '' || /^-|^0(?:\.0+)?$/.test(stock))
    return isAvailable(row, file) ? String(file.options.stock ?? SOME) : '0';
  return stock.replace(/\.0+$/, '');
};

const isAvailable = (row: SourceRecord, { text }: WooCommerceFile): boolean =>
  !['', '0', 'false'].includes(text(row, 'inStock'));

/**
 * Private products are off sale; drafts and those that are pending review were never on sale. A hidden product can be bought by its address
 * alone, which a catalogue does not show. Empty where neither column says anything.
 */
const statusOf = (published: string, visibility: string): string => {
  const word = published.replace(/\.0+$/, '');
  const status = word === '-1' || word === '2' ? 'DRAFT' : word;
  const isShown = word === '' || TRUE.includes(word.toLowerCase());
  return visibility === 'hidden' && isShown ? 'OFF_SALE' : status;
};

/** Items with commas between them; a comma inside one has a backslash. */
const listOf = (text: string): string[] =>
  text
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter(Boolean);

/** The deepest of several categories: the export names the parents of a category, too. */
const categoryOf = (text: string, { options: { category = 'Uncategorized' } }: WooCommerceFile): string => {
  const [deepest = category] = listOf(text).toSorted((one, other) => other.split('>').length - one.split('>').length);
  return deepest;
};

/** The export writes line ends as `\n`. */
const linesOf = (text: string): string => text.replaceAll(/(?<!\\)\\n/g, '\n').replaceAll('\\\\n', '\\n');
