import { isObject, type Value } from '../record.ts';
import { unpacked } from './lists.ts';
import { assertStorable, InvalidValueError, longText, type Parse } from './values.ts';

/** A text that JSON writes as a number or a boolean, which the sources of files give as their text. */
const LITERAL = /^(?:-?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:e[+-]?\d{1,2})?|true|false)$/i;

/**
 * Attributes by their names: `{ "Material": "Copper", "Weight": 1.2, "Fits": ["gas", "induction"] }`, or as the API returns them,
 * `[{ "name": "Weight", "values": ["1.2"] }]`; both also as JSON in a text. Returned as a JSON object; blank ones are left out.
 */
export const attributes: Parse = (value) => {
  const given = unpacked(value);
  const pairs = Array.isArray(given) ? given.map(pairOf) : isObject(given) ? Object.entries(given) : undefined;
  if (!pairs) throw new InvalidValueError('must be an object such as {"Material": "Copper", "Weight": 1.2}');
  const members = pairs.flatMap(([name, of]) => {
    const json = toJson(of);
    return json === undefined ? [] : [`${JSON.stringify(assertStorable(name))}:${json}`];
  });
  return `{${members.join(',')}}`;
};

const pairOf = (pair: Value): [string, Value] => {
  if (!isObject(pair) || typeof pair.name !== 'string')
    throw new InvalidValueError('must have a name for each attribute');
  const values = pair.values ?? pair.value ?? null;
  return [pair.name, Array.isArray(values) && values.length < 2 ? (values[0] ?? null) : values];
};

const toJson = (value: Value): string | undefined => {
  if (value === null || value === '') return undefined;
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => longText(item)));
  if (isObject(value))
    throw new InvalidValueError('must have a text, a number, true, false or a list of texts for each attribute');
  const text = String(value);
  return LITERAL.test(text) ? text.toLowerCase() : JSON.stringify(longText(text));
};
