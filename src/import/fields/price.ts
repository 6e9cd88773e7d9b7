import { isBlank, isObject, type Value } from '../record.ts';
import { InvalidValueError, type Parse, type ReadOptions, trimmedOf } from './values.ts';

const MAX_INTEGER_DIGITS = 12;

const NOTATIONS = {
  // No separators of thousands: `1,299` may be a price below two, written with a decimal comma.
  default: /^([+-]?)(\d+)(?:\.(\d+))?$/,
  '.': /^([+-]?)(\d{1,3}(?:[, '’]\d{3})+|\d+)(?:\.(\d+))?$/u,
  ',': /^([+-]?)(\d{1,3}(?:[. '’]\d{3})+|\d+)(?:,(\d+))?$/u,
};

/** A price of several thousand, or a small one, as programs print floating-point numbers. Larger exponents are of no price. */
const SCIENTIFIC = /^([+-]?)(\d+)(?:\.(\d*))?e([+-]?0*(?:1?\d|20))$/i;

/** The decimal digits that a floating-point number keeps. Those after them are noise: programs print 529.07 as `5.290700000000001e+02`. */
const FLOAT_DIGITS = 15;

/** An amount of money as numeric(14,2) stores it: exact decimals, never rounded. */
export const amount: Parse<string> = (value, { decimal } = {}) => {
  const text = trimmedOf(value).replaceAll(/[\u00a0\u202f]/g, ' ');
  const match = NOTATIONS[decimal ?? 'default'].exec(text) ?? SCIENTIFIC.exec(text);
  if (!match)
    throw new InvalidValueError(
      `must be an amount such as ${decimal === ',' ? '19,90' : '19.90'}${amountHint(text, decimal)}`,
    );
  const [, sign, grouped = '', fraction = '', exponent] = match;
  const [whole = '', places = ''] = plainOf(grouped.replaceAll(/\D/g, ''), fraction, exponent).split('.');
  const digits = whole.replace(/^0+(?=\d)/, '');
  const decimals = places.replace(/0+$/, '');
  if (sign === '-' && Number(digits + decimals) !== 0) throw new InvalidValueError('must not be negative');
  if (decimals.length > 2) throw new InvalidValueError('must have at most two decimals');
  if (digits.length > MAX_INTEGER_DIGITS)
    throw new InvalidValueError(`must have at most ${MAX_INTEGER_DIGITS} digits before the point`);
  return `${digits}.${decimals.padEnd(2, '0')}`;
};

/** The digits with a point between them, as they are or, of a floating-point number, those that it keeps. */
const plainOf = (whole: string, fraction: string, exponent: string | undefined): string => {
  const isExact = exponent === undefined && (whole + fraction).replace(/^0+/, '').length <= FLOAT_DIGITS;
  if (isExact) return `${whole}.${fraction}`;
  const number = Number(`${whole}.${fraction}e${exponent ?? 0}`);
  const text = number.toPrecision(FLOAT_DIGITS);
  // One that is too small or too large for that notation is no price, and is refused for its many digits.
  return text.includes('e') ? number.toFixed(100) : text;
};

/** Exact, since an amount has at most 14 digits; undefined for text that is no amount. */
export const centsOf = (text: string, options: ReadOptions): number | undefined => {
  try {
    return Number(amount(text, options).replace('.', ''));
  } catch {
    return undefined;
  }
};

const amountHint = (text: string, decimal: ReadOptions['decimal']): string => {
  if (decimal === undefined && /^\d[\d.]*,\d{1,2}$/.test(text))
    return ', with a point before the decimals, or say --decimal ,';
  if (decimal === undefined && /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text))
    return ', without thousands separators, or say --decimal .';
  return /\d/.test(text) && /[^\d.,\s]/.test(text) ? ', only the number: the currency has its own column' : '';
};

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

export const currency: Parse<string> = (value) => {
  if (Array.isArray(value)) throw new InvalidValueError('must be the same for all prices of a product');
  const code = trimmedOf(value).toUpperCase();
  if (!CURRENCIES.has(code)) throw new InvalidValueError('must be a currency code of ISO 4217, such as EUR');
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

/** Takes the amounts, and the currency, out of prices as the API returns them: `{ "amount": "9.90", "currencyCode": "EUR" }`. */
export const shapeMoney = (values: Record<string, Value>): void => {
  const prices = [values.price, values.listPrice];
  values.currency = commonCurrency(
    values.currency,
    values.currencyCode,
    ...prices.map((each) => (isObject(each) ? each.currencyCode : undefined)),
  );
  for (const name of ['price', 'listPrice']) if (isObject(values[name])) values[name] = values[name].amount ?? '';
};
