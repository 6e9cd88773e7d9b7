import { amount } from '../fields/amount.ts';
import type { SourceRecord, Value } from '../value.ts';
import type { ReadColumn } from './shopify.ts';

/** One of a variant that is always for sale counts as one piece, so that the product shows as in stock. */
const ALWAYS = 1n;

/**
 * A product with variants is one here: at the lowest price, with the compare-at price of that variant where it is higher, and the stock of
 * all together. A price that cannot be read is given as it is, so that the row is refused rather than sold at another variant's price.
 */
export const foldVariants = (rows: readonly SourceRecord[], read: ReadColumn): Record<string, Value> => {
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
