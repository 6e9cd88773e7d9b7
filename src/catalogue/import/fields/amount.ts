import { Problem, type Value } from '../value.ts';
import type { Parsed } from './field.ts';

const MAX_WHOLE_DIGITS = 12;

/** An amount of money in exact decimals, as numeric(14,2) holds it. Never a float, never rounded. */
export const amount = (value: Value): Parsed => {
  const text = typeof value === 'string' ? value.trim() : '';
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return new Problem(`must be an amount such as 19.90${reasonOf(text)}`);
  const digits = whole.replace(/^0+(?=\d)/, '');
  const cents = fraction.replace(/0+$/, '');
  if (sign === '-' && Number(digits + cents) !== 0) return new Problem('must not be negative');
  if (cents.length > 2) return new Problem('must have at most two decimals');
  if (digits.length > MAX_WHOLE_DIGITS) {
    return new Problem(`must have at most ${MAX_WHOLE_DIGITS} digits before the point`);
  }
  return `${digits}.${cents.padEnd(2, '0')}`;
};

const reasonOf = (text: string): string => {
  if (/^\d[\d.]*,\d{1,2}$/.test(text)) return ', with a point before the decimals';
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return ', without separators of thousands';
  if (/^\d+(\.\d+)?e/i.test(text)) return ', without an exponent';
  return /\d/.test(text) && /[^\d.,\s]/.test(text) ? ', a number alone: the currency has a column of its own' : '';
};

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** A code of ISO 4217. */
export const currency = (value: Value): Parsed => {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return CURRENCIES.has(code) ? code : new Problem('must be a currency code of ISO 4217, such as EUR');
};
