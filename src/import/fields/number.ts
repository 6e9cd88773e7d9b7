import type { DecimalMark, ReadOptions } from '../options.ts';
import { JsonNumber, type Value } from '../record.ts';
import { InvalidValueError, trimmedOf } from './parse.ts';

/** A number that can be read in two ways: `1.000` is one, or a thousand. */
export class AmbiguousNumberError extends InvalidValueError {
  constructor(text: string) {
    const thousands = text.replace('.', '');
    super(`can be ${Number(text)} or ${thousands}: say --decimal . for the first, or --decimal , for the second`);
  }
}

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

/** What a number of a file says; undefined if it is none. @throws AmbiguousNumberError if only the operator can tell */
export const digitsOf = (value: Value, decimal: DecimalMark | undefined): Digits | undefined => {
  const text = trimmedOf(value).replaceAll(/[\u00a0\u202f]/g, ' ');
  const mark = value instanceof JsonNumber ? '.' : decimal;
  if (mark === undefined && AMBIGUOUS.test(text)) throw new AmbiguousNumberError(text);
  const match = NOTATIONS[mark ?? 'default'].exec(text) ?? SCIENTIFIC.exec(text);
  if (!match) return undefined;
  const [, sign, grouped = '', fraction = '', exponent] = match;
  return { isNegative: sign === '-', whole: grouped.replaceAll(/\D/g, ''), fraction, exponent };
};

export const isAmbiguous =
  ({ decimal }: ReadOptions) =>
  (value: Value): boolean =>
    decimal === undefined && typeof value === 'string' && AMBIGUOUS.test(value.trim());

/** The columns of a file whose numbers have a decimal point, as one of them shows that can be read in one way only: `19.90`, `0.000`. */
export class DecimalPoints {
  readonly #columns = new Set<string>();

  /** @param column the file's name of the column */
  learn(column: string, value: Value): void {
    const text = typeof value === 'string' ? value.trim() : '';
    if (/^[+-]?\d+\.\d+$/.test(text) && !AMBIGUOUS.test(text)) this.#columns.add(column);
  }

  has(column: string): boolean {
    return this.#columns.has(column);
  }
}
