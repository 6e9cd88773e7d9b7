import { InvalidValueError, type Parse, type ReadOptions, trimmedOf } from './values.ts';

const MAX_INTEGER_DIGITS = 12;

/** Larger exponents are of no price. */
const MAX_EXPONENT = 20;

const NOTATIONS = {
  // No separators of thousands: `1,299` may be a price below two, written with a decimal comma.
  default: /^([+-]?)(\d+)(?:\.(\d+))?$/,
  '.': /^([+-]?)(\d{1,3}(?:[, '’]\d{3})+|\d+)(?:\.(\d+))?$/u,
  ',': /^([+-]?)(\d{1,3}(?:[. '’]\d{3})+|\d+)(?:,(\d+))?$/u,
};

/** A price of several thousand, or a small one, as programs print floating-point numbers. */
const SCIENTIFIC = /^([+-]?)(\d+)(?:\.(\d*))?e([+-]?\d{1,3})$/i;

/** An amount of money as numeric(14,2) stores it: exact decimals, never rounded. */
export const amount: Parse = (value, { decimal } = {}) => {
  const text = trimmedOf(value).replaceAll(/[\u00a0\u202f]/g, ' ');
  const parts = partsOf(text, decimal);
  if (!parts) throw new InvalidValueError(`must be an amount such as ${example(decimal)}${amountHint(text, decimal)}`);
  const digits = parts.whole.replace(/^0+(?=\d)/, '');
  const decimals = parts.fraction.replace(/0+$/, '');
  if (parts.sign === '-' && Number(digits + decimals) !== 0) throw new InvalidValueError('must not be negative');
  if (decimals.length > 2) throw new InvalidValueError('must have at most two decimals');
  if (digits.length > MAX_INTEGER_DIGITS) {
    throw new InvalidValueError(`must have at most ${MAX_INTEGER_DIGITS} digits before the point`);
  }
  return `${digits}.${decimals.padEnd(2, '0')}`;
};

/** Exact, since an amount has at most 14 digits; undefined for text that is no amount. */
export const centsOf = (text: string, options: ReadOptions): number | undefined => {
  try {
    return Number(amount(text, options).replace('.', ''));
  } catch {
    return undefined;
  }
};

interface Parts {
  readonly sign: string;
  readonly whole: string;
  readonly fraction: string;
}

/** The decimal digits that a floating-point number keeps. Those after them are noise: programs print 529.07 as `5.290700000000001e+02`. */
const FLOAT_DIGITS = 15;

const partsOf = (text: string, decimal: ReadOptions['decimal']): Parts | undefined => {
  const parts = exactPartsOf(text, decimal);
  const digits = parts && (parts.whole + parts.fraction).replace(/^0+/, '');
  if (!digits || digits.length <= FLOAT_DIGITS) return parts;
  const number = Number(`${parts.sign}${parts.whole}.${parts.fraction}`);
  return exactPartsOf(number.toPrecision(FLOAT_DIGITS), '.');
};

const exactPartsOf = (text: string, decimal: ReadOptions['decimal']): Parts | undefined => {
  const plain = NOTATIONS[decimal ?? 'default'].exec(text);
  if (plain) {
    const [, sign = '', whole = '', fraction = ''] = plain;
    return { sign, whole: whole.replaceAll(/\D/g, ''), fraction };
  }
  const [match, sign = '', whole = '', fraction = '', exponent = ''] = SCIENTIFIC.exec(text) ?? [];
  const shift = Number(exponent);
  if (match === undefined || Math.abs(shift) > MAX_EXPONENT) return undefined;
  // The point moves in the text, because a float would change some digits.
  const digits = '0'.repeat(MAX_EXPONENT) + whole + fraction.padEnd(MAX_EXPONENT, '0');
  const point = MAX_EXPONENT + whole.length + shift;
  return { sign, whole: digits.slice(0, point), fraction: digits.slice(point).replace(/0+$/, '') };
};

const example = (decimal: ReadOptions['decimal']): string => (decimal === ',' ? '19,90' : '19.90');

const amountHint = (text: string, decimal: ReadOptions['decimal']): string => {
  if (decimal === undefined && /^\d[\d.]*,\d{1,2}$/.test(text)) {
    return ', with a point before the decimals, or say --decimal ,';
  }
  if (decimal === undefined && /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) {
    return ', without thousands separators, or say --decimal .';
  }
  return /\d/.test(text) && /[^\d.,\s]/.test(text) ? ', only the number: the currency has its own column' : '';
};

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

export const currency: Parse = (value) => {
  const code = trimmedOf(value).toUpperCase();
  if (!CURRENCIES.has(code)) throw new InvalidValueError('must be a currency code of ISO 4217, such as EUR');
  return code;
};
