/** The types of GS1's codes, by their length. */
const TYPES: Readonly<Record<number, string>> = { 8: 'EAN', 12: 'UPC', 13: 'EAN', 14: 'GTIN' };

/** A code with its type; undefined for what is no code of GS1, or has a wrong check digit. */
export const barcodeOf = (value: string): { readonly type: string; readonly value: string } | undefined => {
  const type = /^\d+$/.test(value) ? TYPES[value.length] : undefined;
  return type !== undefined && hasCheckDigit(value) ? { type, value } : undefined;
};

/** https://www.gs1.org/services/how-calculate-check-digit-manually */
const hasCheckDigit = (digits: string): boolean => {
  const weighted = [...digits].reverse().map((digit, place) => Number(digit) * (place % 2 === 0 ? 1 : 3));
  return weighted.reduce((sum, each) => sum + each, 0) % 10 === 0;
};
