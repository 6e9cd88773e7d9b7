import { isBlank } from '../record.ts';
import type { Draft, FormatFile, VariantDraft } from './format.ts';

/** What a product costs, and in which ways it is to be had. */
export type Offered = Pick<Draft, 'values' | 'ifNew' | 'columns' | 'variants'>;

/** A file without the options in which variants differ does not tell several of them apart: the product keeps its own, or lacks its price. */
export const withUnknownOptions = (variants: readonly VariantDraft[]): Offered => {
  const [only, ...others] = variants;
  if (!only || others.length > 0) return { values: {} };
  const { sku, imageUrl, ...values } = only.values;
  return { values, ifNew: sku === undefined ? {} : { sku }, columns: only.columns };
};

/** The value of a variant for an option of which it has none, and others have one. */
export const ANY = 'Any';

/**
 * A product that is to be had in one way only. It needs no variant, unless it has a barcode, which only variants have. Where the file has no
 * barcodes, the variant of the catalogue stays.
 */
export const withoutOptions = (variant: VariantDraft): Offered => {
  const { barcode, imageUrl, ...values } = variant.values;
  const { columns } = variant;
  if (barcode === undefined) return { values, columns };
  const variants = isBlank(barcode) ? [] : [{ ...variant, values: { ...values, barcode, optionValues: [] } }];
  return { values: { ...values, optionNames: [] }, columns, variants };
};

/**
 * Prices are imported as they are now, because the table has no dates for them. Dates that cannot be read do not end a sale. A file with one of
 * the two prices has the price of now.
 */
export const offerOf = (
  file: FormatFile<'price' | 'sale'>,
  { regular, sale, from, to }: Readonly<Record<'regular' | 'sale' | 'from' | 'to', string>>,
): Offered => {
  // A date alone is the whole day.
  const end = Date.parse(/^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59Z` : to);
  const isSale = sale !== '' && !(Date.parse(from) > Date.now() || end < Date.now());
  const price = isSale ? sale : regular;
  if (price === '') return { values: {} };
  if (!isSale) return { values: { price, ...(file.has('sale') && { listPrice: '' }) } };
  return {
    values: { price, ...(file.has('price') && { listPrice: regular }) },
    columns: { price: file.columnOf('sale'), listPrice: file.columnOf('price') },
  };
};
