/** From here on, as microseconds the year 2255 and before 1684, not every whole number is one in JavaScript. */
const FIRST_INEXACT = 2 ** 53;

/** For what is later, the year 128,000, there are not enough numbers. */
const LAST_MOMENT = 4e18;

/** The bits of {@link FIRST_INEXACT}: those of the numbers above count on by one. */
const FIRST_INEXACT_BITS = new BigInt64Array(Float64Array.of(FIRST_INEXACT).buffer)[0] as bigint;

/** A number for each microsecond, in their order: itself, and past what JavaScript has as many numbers further from zero. */
export const momentOf = (microseconds: string): number => {
  const number = Number(microseconds);
  if (Math.abs(number) < FIRST_INEXACT || Number.isNaN(number)) return number;
  if (Math.abs(number) > LAST_MOMENT) return number < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const exact = BigInt(microseconds);
  const beyond = (exact < 0n ? -exact : exact) - BigInt(FIRST_INEXACT);
  const [size] = new Float64Array(BigInt64Array.of(FIRST_INEXACT_BITS + beyond).buffer);
  return Math.sign(number) * (size as number);
};

export const microsecondsOf = (moment: number): string => {
  const size = Math.abs(moment);
  if (size < FIRST_INEXACT || !Number.isFinite(size)) return String(moment);
  const [bits] = new BigInt64Array(Float64Array.of(size).buffer);
  return `${moment < 0 ? '-' : ''}${(bits as bigint) - FIRST_INEXACT_BITS + BigInt(FIRST_INEXACT)}`;
};

const DECIMAL = /^(-?)0*(\d*)(?:\.(\d*))?$/;

/** A decimal in cents; one between two cents becomes the next one in the direction that keeps the comparison the same. */
export const centsOf = (decimal: string, direction: 'up' | 'down'): number => {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(decimal) ?? [];
  const cents = Number(`${whole}${fraction.slice(0, 2).padEnd(2, '0')}`);
  const hasRest = /[1-9]/.test(fraction.slice(2));
  if (sign === '-') return -(hasRest && direction === 'down' ? cents + 1 : cents);
  return hasRest && direction === 'up' ? cents + 1 : cents;
};
