import type { DecimalMark } from '../options.ts';
import { JsonNumber, type Value } from '../record.ts';
import { InvalidValueError, trimmedOf } from './parse.ts';

/** A number that can be read in two ways: `1.000` is one, or a thousand. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

const NOTATIONS = {
  // No separators of thousands: `1,299` may be a price below two, written with a decimal comma.
  default: /^([+-]?)(\d+)(?:\.(\d+))?$/,
  '.': /^([+-]?)(\d{1,3}(?:[, '’]\d{3})+|\d+)(?:\.(\d+))?$/u,
  ',': /^([+-]?)(\d{1,3}(?:[. '’]\d{3})+|\d+)(?:,(\d+))?$/u,
};

/** As programs print floating-point numbers, 1.2 as `1.2e+00`. Larger exponents are of no price and no number of pieces. */
const SCIENTIFIC = /^([+-]?)(\d+)(?:\.(\d*))?e([+-]?0*(?:1?\d|20))$/i;

/** The digits of a number, without separators of thousands. */
export interface Digits {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: string | undefined;
}

/** What a number of a file says; undefined if it is none. @throws InvalidValueError if only the operator can tell */
export const digitsOf = (value: Value, decimal: DecimalMark | undefined): Digits | undefined => {
  const text = trimmedOf(value).replaceAll(/[\u00a0\u202f]/g, ' ');
  const mark = value instanceof JsonNumber ? '.' : decimal;
  if (mark === undefined && AMBIGUOUS.test(text)) {
    const ways = `${Number(text)} or ${text.replace('.', '')}`;
    throw new InvalidValueError(`can be ${ways}: say --decimal . for the first, or --decimal , for the second`);
  }
  const match = NOTATIONS[mark ?? 'default'].exec(text) ?? SCIENTIFIC.exec(text);
  if (!match) return undefined;
  const [, sign, grouped = '', fraction = '', exponent] = match;
  return { isNegative: sign === '-', whole: grouped.replaceAll(/\D/g, ''), fraction, exponent };
};

export const isAmbiguous = (value: Value): boolean => typeof value === 'string' && AMBIGUOUS.test(value.trim());

/** Whether a cell has a number with a decimal point for certain, also beside a currency: `19.90 EUR`, `0.000`. */
export const hasDecimalPoint = (value: Value | undefined): boolean => {
  const number = typeof value === 'string' ? value.replaceAll(/[a-z\s]/gi, '') : '';
  return /^[+-]?\d+\.\d+$/.test(number) && !AMBIGUOUS.test(number);
};
