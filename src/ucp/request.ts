import { fromJsonSchema, type JsonSchemaType, type Tool } from '@modelcontextprotocol/server';
import { Ajv, AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { AppError } from '../errors.ts';
import type { Selected } from './selection.ts';
import tools from './tools.json' with { type: 'json' };

export interface Filters {
  readonly categories?: readonly string[];
  readonly price?: { readonly min?: number; readonly max?: number };
}

export interface AnyRequest {
  readonly context?: { readonly currency?: string; readonly language?: string };
  readonly filters?: Filters;
}

export interface SearchRequest extends AnyRequest {
  readonly query?: string;
  readonly pagination?: { readonly cursor?: string; readonly limit?: number };
}

export type LookupRequest = AnyRequest & { readonly ids: readonly string[] };

export interface ProductRequest extends AnyRequest {
  readonly id: string;
  readonly selected?: readonly Selected[];
  readonly preferences?: readonly string[];
}

/** As MCP lists them, by https://ucp.dev/2026-08-25/schemas/shopping/: of members that no schema has, nothing is read. */
export const TOOLS = tools as unknown as readonly Tool[];

/** Finds one fault. Without an instance of our own, the validator writes one for each of half a million ids. */
const VALIDATOR = new AjvJsonSchemaValidator(new Ajv({ strict: false }));

const SCHEMAS = new Map(
  TOOLS.map(({ name, inputSchema }) => [
    name,
    fromJsonSchema(inputSchema.properties?.catalog as JsonSchemaType, VALIDATOR),
  ]),
);

/** A request that the schema of its tool allows. @throws AppError BAD_USER_INPUT with what is wrong */
export const checkRequest = (tool: string, request: unknown): unknown => {
  const checked = SCHEMAS.get(tool)?.['~standard'].validate(request);
  if (!checked || checked instanceof Promise) throw new Error('A JSON Schema is checked at once.');
  const [issue] = checked.issues ?? [];
  if (issue) throw new AppError('BAD_USER_INPUT', `${faultOf(issue.message)}.`);
  return request;
};

/** @param message as in "data/ids/0 must be string", or "data must be object" of the whole request */
const faultOf = (message: string): string =>
  message.replace(/^data\//, '').replace(/^data /, 'The request (by MCP, the argument "catalog") ');

/** The code of an error by the protocol. */
export const reasonOf = ({ code, details }: Pick<AppError, 'code' | 'details'>): string =>
  String(details.reason ?? (code === 'BAD_USER_INPUT' ? 'invalid_request' : code.toLowerCase()));
