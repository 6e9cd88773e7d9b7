/** Whether JavaScript has the number, whose digits PostgreSQL writes, but for digits past those of double precision. */
const isDouble = (digits: string): boolean => {
  const size = Math.abs(Number(digits));
  return (size >= 1e-300 && size <= 1e300) || !/[1-9]/.test(digits);
};

/** A number as products, facets, filters and facets.sql.ts have it: as JavaScript writes it, and one beyond its range with all its digits. */
export const numberText = (digits: string): string => {
  if (isDouble(digits)) return String(Number(digits));
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
};

/** JSON of a jsonb with the numbers as texts that JavaScript has not: `JSON.parse` would make them `Infinity`, which is no JSON, or zero. */
export const exactJson = (json: string): string =>
  /\d{300}/.test(json) ? JSON.stringify(JSON.parse(json, exactNumber)) : json;

/** @param source https://tc39.es/proposal-json-parse-with-source/ */
const exactNumber = (_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && !isDouble(source) ? numberText(source) : value;
