/** An amount as UCP has it: https://ucp.dev/2026-08-25/specification/shopping/catalog */
export interface Price {
  /** In the minor unit of the currency. */
  readonly amount: number;
  readonly currency: string;
}

/**
 * The digits after the point of the currencies of ISO 4217 that do not have two, by its list one of 2026-01-01 (SIX Financial Information).
 * `Intl` has the digits that people write, which are fewer for IQD and others.
 */
const MINOR_DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([digits, codes]) => codes.split(' ').map((code): [string, number] => [code, Number(digits)])),
);

/** Minor units in a hundredth: 1 for USD, 10 for KWD, and for JPY 0.01. */
const perHundredth = (currency: string): number => 10 ** ((MINOR_DIGITS.get(currency) ?? 2) - 2);

/**
 * A price of the tables, which has two digits after the point, in minor units. What the currency cannot express is rounded half away from zero.
 * The greatest amount of the protocol stands for a greater one: 900 billion of a currency with four digits.
 */
export const priceOf = ({ amount, currencyCode }: { amount: string; currencyCode: string }): Price => {
  const hundredths = Number(amount.replace('.', ''));
  const per = perHundredth(currencyCode);
  // Divided by a whole number, because a product with 0.01 is not exact.
  const minor = per < 1 ? Math.round(hundredths / 100) : hundredths * per;
  return { amount: Math.min(minor, Number.MAX_SAFE_INTEGER), currency: currencyCode };
};

/** The bounds of a price filter, as `Decimal`: of all amounts that are shown as `min` to `max` minor units, the least and the greatest. */
export const boundsOf = (
  { min, max }: { readonly min?: number | undefined; readonly max?: number | undefined },
  currency: string,
): { readonly minPrice?: string; readonly maxPrice?: string } => {
  const per = perHundredth(currency);
  const [below, above] = per < 1 ? [50, 49] : [0, 0];
  const hundredths = (minor: number): number => (per < 1 ? minor * 100 : minor / per);
  return {
    ...(min !== undefined && { minPrice: decimal(Math.max(0, Math.ceil(hundredths(min)) - below)) }),
    ...(max !== undefined && { maxPrice: decimal(Math.floor(hundredths(max)) + above) }),
  };
};

const decimal = (hundredths: number): string => {
  const digits = BigInt(hundredths).toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
