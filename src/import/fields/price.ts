import type { DecimalMark, ReadOptions } from '../options.ts';
import { isBlank, isObject, JsonNumber, type Value } from '../record.ts';
import { InvalidValueError, type Parse, trimmedOf } from './parse.ts';

/** A number that can be read in two ways: `1.000` is one, or a thousand. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

const NOTATIONS = {
  // No separators of thousands: `1,299` may be a price below two, written with a decimal comma.
  default: /^([+-]?\d+)(?:\.(\d+))?$/,
  '.': /^([+-]?(?:\d{1,3}(?:[, '’]\d{3})+|\d+))(?:\.(\d+))?$/u,
  ',': /^([+-]?(?:\d{1,3}(?:[. '’]\d{3})+|\d+))(?:,(\d+))?$/u,
};

/** As programs print floating-point numbers, 1.2 as `1.2e+00`. */
const SCIENTIFIC = /^[+-]?\d+(?:\.\d*)?e[+-]?\d+$/i;

/** What a number of a file says; undefined if it is none. @throws InvalidValueError if only the operator can tell */
export const numberOf = (value: Value, decimal: DecimalMark | undefined): number | undefined => {
  const text = trimmedOf(value).replaceAll(/[\u00a0\u202f]/g, ' ');
  const mark = value instanceof JsonNumber ? '.' : decimal;
  if (mark === undefined && AMBIGUOUS.test(text)) {
    const ways = `${Number(text)} or ${text.replace('.', '')}`;
    throw new InvalidValueError(`can be ${ways}: say --decimal . for the first, or --decimal , for the second`);
  }
  if (SCIENTIFIC.test(text)) return Number(text);
  const [match, grouped = '', fraction = '0'] = NOTATIONS[mark ?? 'default'].exec(text) ?? [];
  return match === undefined ? undefined : Number(`${grouped.replaceAll(/[^\d+-]/g, '')}.${fraction}`);
};

const MAX_INTEGER_DIGITS = 12;

/** The decimal digits that a floating-point number keeps. Those after them are noise: programs print 529.07 as `5.290700000000001e+02`. */
const FLOAT_DIGITS = 15;

/** An amount of money as numeric(14,2) stores it, which has fewer digits than a floating-point number keeps. It is never rounded. */
export const amount: Parse<string> = (value, { decimal } = {}) => {
  const number = numberOf(value, decimal);
  if (number === undefined)
    throw new InvalidValueError(
      `must be an amount such as ${decimal === ',' ? '19,90' : '19.90'}${amountHint(trimmedOf(value), decimal)}`,
    );
  if (number < 0) throw new InvalidValueError('must not be negative');
  if (number >= 10 ** MAX_INTEGER_DIGITS)
    throw new InvalidValueError(`must have at most ${MAX_INTEGER_DIGITS} digits before the point`);
  const exact = Math.abs(Number(number.toPrecision(FLOAT_DIGITS)));
  if (Number(exact.toFixed(2)) !== exact) throw new InvalidValueError('must have at most two decimals');
  return exact.toFixed(2);
};

const amountHint = (text: string, decimal: DecimalMark | undefined): string => {
  if (decimal === undefined && /^\d[\d.]*,\d{1,2}$/.test(text))
    return ', with a point before the decimals, or say --decimal ,';
  if (decimal === undefined && /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text))
    return ', without thousands separators, or say --decimal .';
  return /\d/.test(text) && /[^\d.,\s]/.test(text) ? ', only the number: the currency has its own column' : '';
};

/** A code as the table takes it: three letters. */
export const currency: Parse<string> = (value) => {
  if (Array.isArray(value)) throw new InvalidValueError('must be the same for all prices of a product');
  const code = trimmedOf(value).toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) throw new InvalidValueError('must be a currency code of ISO 4217, such as EUR');
  return code;
};

/** The currency of several prices, which is a list if they have not the same, and empty if none has one. */
export const commonCurrency = (...currencies: readonly (Value | undefined)[]): Value => {
  const [first = '', ...others] = new Set(
    currencies
      .flatMap((each) => each ?? [])
      .flatMap((each) => (isBlank(each) ? [] : trimmedOf(each).toUpperCase() || each)),
  );
  return others.length > 0 ? [first, ...others] : first;
};

/** What files call the column of the currency, too. */
export const CURRENCY_NAMES = { currency: ['currencyCode', 'priceCurrency'] };

/** Takes the amounts, and the currency, out of prices as the API returns them: `{ "amount": "9.90", "currencyCode": "EUR" }`. */
export const shapeMoney = (values: Record<string, Value>): void => {
  const prices = [values.price, values.listPrice];
  const currencies = [values.currency, ...prices.map((each) => (isObject(each) ? each.currencyCode : undefined))];
  if (currencies.some((each) => each !== undefined)) values.currency = commonCurrency(...currencies);
  for (const name of ['price', 'listPrice']) if (isObject(values[name])) values[name] = values[name].amount ?? '';
};

/** The default of the table. */
const TABLE_CURRENCY = 'USD';

/** Gives a row, or its variants, that have prices and no currency the operator's, and a row whose currency is blank else the table's. */
export const completeCurrency = (
  values: Record<string, Value>,
  variants: readonly { readonly values: Readonly<Record<string, Value>> }[],
  { currency }: ReadOptions,
): void => {
  const currencies = [values.currency, ...variants.map((each) => each.values.currency)];
  const code = commonCurrency(...currencies);
  if (currencies.some((each) => each !== undefined)) values.currency = code;
  if (!isBlank(code)) return;
  const hasPrice = variants.length > 0 || !isBlank(values.price);
  if (!hasPrice) delete values.currency;
  else if (currency) values.currency = currency;
  else if (values.currency !== undefined) values.currency = TABLE_CURRENCY;
};
