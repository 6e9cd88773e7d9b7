import type { Openapi } from '../support/rest-openapi.ts';

/** A request, and its status. */
export interface Expectation {
  readonly target: string;
  readonly status: number;
  /** Whether the document allows the request. */
  readonly isAllowed: boolean;
}

type Schema = Openapi['paths'][string]['get']['parameters'][number]['schema'];

/** Values that a schema allows: its bounds, its names, its default. */
const allowed = ({ minimum, maximum, enum: names, type, default: byDefault }: Schema): unknown[] => [
  ...[minimum, maximum, byDefault].filter((value) => value !== undefined),
  ...(names ?? []),
  ...(type === 'array' ? ['4,5', '999999'] : []),
  ...(type === 'string' && !names ? ['coffee', '100%_', 'ÄÖÜ "quoted"'] : []),
];

/** Values that it does not. */
const refused = ({ minimum, maximum, enum: names, type }: Schema): unknown[] => [
  ...(minimum === undefined ? [] : [minimum - 1, 'x', '1.5']),
  ...(maximum === undefined ? [] : [maximum + 1]),
  ...(names ? ['OTHER'] : []),
  ...(type === 'array' ? ['4,x'] : []),
];

/** What the document says can be asked, and what it says cannot. */
export const expectations = ({ paths }: Openapi): Expectation[] =>
  Object.entries(paths).flatMap(([path, { get }]) => {
    const isDetail = path.includes('{');
    const base = path.replace('{id}', '2');
    const query = (name: string, value: unknown): string => `${base}?${new URLSearchParams({ [name]: String(value) })}`;
    const inQuery = get.parameters.filter((parameter) => parameter.in === 'query');
    const found: Expectation[] = [{ target: base, status: 200, isAllowed: true }];
    for (const { name, schema } of inQuery) {
      for (const value of allowed(schema)) found.push({ target: query(name, value), status: 200, isAllowed: true });
      for (const value of refused(schema)) found.push({ target: query(name, value), status: 400, isAllowed: false });
    }
    if (isDetail) {
      found.push({ target: path.replace('{id}', '999999'), status: 404, isAllowed: true });
      found.push({ target: path.replace('{id}', 'x'), status: 404, isAllowed: false });
    }
    found.push({ target: `${base}?unknown=${'x'.repeat(9000)}`, status: 414, isAllowed: true });
    return found;
  });
