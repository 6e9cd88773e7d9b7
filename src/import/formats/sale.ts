import { isDay } from '../../parse-time.ts';
import type { Draft, FormatFile } from './format.ts';

/** What a product costs now, and what of that is said to the catalogue. */
export interface Offer extends Pick<Draft, 'values' | 'ifNew' | 'columns'> {
  readonly price: string;
}

/**
 * Prices are imported as they are now, because the table has no dates for them. Dates that cannot be read do not end a sale. A file with one of
 * the two prices has the price of now; with a sale price alone, the one before becomes the list price.
 */
export const offerOf = (
  { has, columnOf }: Pick<FormatFile<'price' | 'sale'>, 'has' | 'columnOf'>,
  { regular, sale, from, to }: Readonly<Record<'regular' | 'sale' | 'from' | 'to', string>>,
): Offer => {
  // A date alone is the whole day.
  const end = timeOf(/^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59Z` : to);
  const isSale = sale !== '' && !(timeOf(from) > Date.now() || end < Date.now());
  const price = isSale ? sale : regular;
  if (price === '') return { price, values: {} };
  if (!isSale) return { price, values: { price, ...(has('sale') && { listPrice: '' }) } };
  const columns = { price: columnOf('sale'), listPrice: columnOf('price') };
  return has('price')
    ? { price, values: { price, listPrice: regular }, columns }
    : { price, values: { price }, ifNew: { listPrice: '' }, columns };
};

/** NaN for a day that does not exist. */
const timeOf = (text: string): number => {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return day !== undefined && !isDay(day) ? Number.NaN : Date.parse(text);
};
