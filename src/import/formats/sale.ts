import { isDay } from '../../parse-time.ts';
import type { Value } from '../record.ts';
import type { Draft } from './format.ts';

/** What a file says of a product's price: undefined for a column that it does not have. */
export interface Prices {
  readonly regular: string | undefined;
  readonly sale: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** What a product costs now, and whether that is its sale price. */
export interface Offer extends Prices {
  readonly price: string;
  readonly isSale: boolean;
}

/** Prices are imported as they are now, because the table has no dates for them. Dates that cannot be read do not end a sale. */
export const offerOf = (prices: Prices): Offer => {
  const { regular = '', sale = '', from, to } = prices;
  const now = Date.now();
  const start = timeOf(from);
  // A date alone is the whole day.
  const end = timeOf(/^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59Z` : to);
  const isSale = sale !== '' && !(start > now || end < now);
  return { ...prices, isSale, price: isSale ? sale : regular };
};

/**
 * The fields of an offer. A file with one of the two prices has the price of now; with a sale price alone, the one before becomes the list price.
 * @param columns the file's names for the two columns
 */
export const fieldsOf = (
  { regular, sale, isSale, price }: Offer,
  columns: { readonly regular: string; readonly sale: string },
): { values: Record<string, Value> } & Pick<Draft, 'ifNew' | 'columns'> => {
  if (price === '') return { values: {} };
  if (!isSale) return { values: { price, ...(sale !== undefined && { listPrice: '' }) } };
  const columnOf = { price: columns.sale, listPrice: columns.regular };
  return regular === undefined
    ? { values: { price }, ifNew: { listPrice: '' }, columns: columnOf }
    : { values: { price, listPrice: regular }, columns: columnOf };
};

/** NaN for a day that does not exist. */
const timeOf = (text: string): number => {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return day !== undefined && !isDay(day) ? Number.NaN : Date.parse(text);
};
