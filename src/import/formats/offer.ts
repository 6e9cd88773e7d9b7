import { centsOf } from '../fields/price.ts';
import { stock } from '../fields/values.ts';
import type { ReadOptions } from '../options.ts';
import { isBlank, type Value } from '../record.ts';
import type { Draft, FormatFile, VariantDraft } from './format.ts';

/** What a product costs, and in which ways it is to be had. */
export type Offered = Pick<Draft, 'values' | 'ifNew' | 'columns' | 'variants'>;

/** The value of a variant for an option of which it has none, and others have one. */
export const ANY = 'Any';

/**
 * A product that is to be had in one way only. It needs no variant, unless it has a barcode, which only variants have. Where the file has no
 * barcodes, the variant of the catalogue stays.
 */
export const withoutOptions = (variant: VariantDraft): Offered => {
  const { barcode, position, imageUrl, ...values } = variant.values;
  const { columns } = variant;
  if (barcode === undefined) return { values, columns };
  const variants = isBlank(barcode) ? [] : [{ ...variant, values: { ...values, barcode, optionValues: [] } }];
  return { values: { ...values, optionNames: [] }, columns, variants };
};

/**
 * A product whose variants the file does not tell apart: the lowest price, with the list price of that variant, and the pieces of all. A value
 * that is none is kept, so that it is reported, and no product is sold at another price.
 */
export const folded = (variants: readonly VariantDraft[], options: ReadOptions): Offered => {
  // Where `1.000` can be a thousand, too, a price that is certain and lower is the cheapest in both ways.
  const cents = ({ values: { price } }: VariantDraft): number =>
    centsOf(String(price), { ...options, decimal: options.decimal ?? '.' }) ?? -1;
  // A variant whose price the file does not say may be the cheapest.
  const priced = variants.some(({ values }) => values.price === undefined) ? [] : variants;
  const [cheapest] = priced
    .filter(({ values }) => !isBlank(values.price))
    .toSorted((one, other) => cents(one) - cents(other));
  const { price, listPrice } = cheapest?.values ?? {};
  const stocks = variants.flatMap(({ values }) => values.stock ?? []).filter((value) => !isBlank(value));
  return {
    values: {
      ...(price !== undefined && { price }),
      ...(listPrice !== undefined && { listPrice }),
      ...(stocks.length > 0 && { stock: sumOf(stocks, options) }),
    },
    columns: cheapest?.columns,
  };
};

/** Where nothing is counted, only whether there is some. */
const sumOf = (stocks: readonly Value[], options: ReadOptions): Value => {
  let sum = 0;
  for (const value of stocks) {
    try {
      sum += Math.abs(Number(stock(value, options)));
    } catch {
      return value;
    }
  }
  if (stocks.some((value) => /^\d/.test(String(value)))) return String(sum);
  return sum > 0 ? 'in stock' : 'out of stock';
};

/**
 * Prices are imported as they are now, because the table has no dates for them. Dates that cannot be read do not end a sale. A file with one of
 * the two prices has the price of now.
 */
export const offerOf = (
  { has, columnOf }: Pick<FormatFile<'price' | 'sale'>, 'has' | 'columnOf'>,
  { regular, sale, from, to }: Readonly<Record<'regular' | 'sale' | 'from' | 'to', string>>,
): Offered => {
  // A date alone is the whole day.
  const end = Date.parse(/^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59Z` : to);
  const isSale = sale !== '' && !(Date.parse(from) > Date.now() || end < Date.now());
  const price = isSale ? sale : regular;
  if (price === '') return { values: {} };
  if (!isSale) return { values: { price, ...(has('sale') && { listPrice: '' }) } };
  return {
    values: { price, ...(has('price') && { listPrice: regular }) },
    columns: { price: columnOf('sale'), listPrice: columnOf('price') },
  };
};
