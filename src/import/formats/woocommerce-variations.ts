import { centsOf } from '../fields/amount.ts';
import { SOME } from '../fields/stock.ts';
import type { SourceRecord } from '../record.ts';
import type { FormatOptions } from './format.ts';
import { fieldsOf, type Offer, offerOf } from './sale.ts';
import type { WooCommerceColumn } from './woocommerce.ts';

/** How rows of one file are read. */
export interface WooCommerceFile {
  /** Whether the file has a column. What it lacks stays as it is in the catalogue. */
  readonly has: (column: WooCommerceColumn) => boolean;
  /** The text of a column, or an empty text. */
  readonly read: (record: SourceRecord, column: WooCommerceColumn) => string;
  readonly columnOf: (column: WooCommerceColumn) => string;
}

/** The variations that can be bought: they are published, and have a price if the file has prices. */
export const soldOf = (variations: readonly SourceRecord[], file: WooCommerceFile): readonly SourceRecord[] =>
  variations.filter(
    (row) => file.read(row, 'published') !== '0' && (!file.has('price') || offerOfRow(row, file).price !== ''),
  );

const offerOfRow = (row: SourceRecord, { has, read }: WooCommerceFile): Offer =>
  offerOf({
    regular: has('price') ? read(row, 'price') : undefined,
    sale: has('sale') ? read(row, 'sale') : undefined,
    from: read(row, 'saleStart'),
    to: read(row, 'saleEnd'),
  });

/** The lowest price of the variations that are sold. A price that is none is kept, and is reported. */
export const offerOfAll = (
  record: SourceRecord,
  sold: readonly SourceRecord[],
  file: WooCommerceFile,
  options: FormatOptions,
): ReturnType<typeof fieldsOf> => {
  const offers = (sold.length === 0 ? [record] : sold).map((row) => offerOfRow(row, file));
  // A variation whose price the file does not say may be the cheapest.
  if (offers.some(({ price }) => price === '')) return { values: {} };
  const cents = offers.map(({ price }) => centsOf(price, options));
  const invalid = cents.indexOf(undefined);
  const cheapest = offers[invalid === -1 ? cents.indexOf(Math.min(...cents.map(Number))) : invalid] as Offer;
  return fieldsOf(cheapest, { regular: file.columnOf('price'), sale: file.columnOf('sale') });
};

/** The pieces of all variations together, or of the product itself. What is no number is kept, and is reported. */
export const stockOf = (
  record: SourceRecord,
  sold: readonly SourceRecord[],
  file: WooCommerceFile,
  options: FormatOptions,
): string => {
  const { has, read } = file;
  // Variations that share the stock of the product say `parent`.
  const own = sold.filter((row) => read(row, 'stock') !== 'parent');
  const rows = own.length < sold.length || sold.length === 0 ? [...own, record] : own;
  const isUncounted = !has('stock') || (sold.length === 0 && read(record, 'stock') === '');
  if (isUncounted) {
    if (!has('inStock') || rows.every((row) => read(row, 'inStock') === '')) return '';
    return rows.some((row) => isAvailable(row, file)) ? 'in stock' : 'out of stock';
  }
  const pieces = rows.map((row) => piecesOf(row, file, options));
  return pieces.find((each) => !/^\d{1,9}$/.test(each)) ?? String(pieces.reduce((sum, each) => sum + Number(each), 0));
};

const piecesOf = (row: SourceRecord, file: WooCommerceFile, options: FormatOptions): string => {
  const stock = file.read(row, 'stock');
  if (stock === '' && file.read(row, 'inStock') === '') return '';
  // What is sold on back order has no pieces, or fewer than none.
  if (stock === '' || /^-|^0(?:\.0+)?$/.test(stock))
    return isAvailable(row, file) ? String(options.stock ?? SOME) : '0';
  return stock.replace(/\.0+$/, '');
};

const isAvailable = (row: SourceRecord, { read }: WooCommerceFile): boolean =>
  !['', '0', 'false'].includes(read(row, 'inStock'));
