import { isDeepStrictEqual } from 'node:util';
import Negotiator from 'negotiator';
import { AppError } from '../errors.ts';
import type { FillShape, SplitBody } from '../http/body-shapes.ts';
import { type GatewayRequest, parseQueryString, splitTarget } from '../http/message.ts';
import { checkJson } from './limits/json-size.ts';
import { EVENT_STREAM_TYPE } from './live/event-stream.ts';
import type { DocumentReference } from './trusted-documents.ts';

/** The parameters of a GraphQL request: https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
export interface RequestParams extends DocumentReference {
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const NAMES: readonly string[] = ['query', 'documentId', 'doc_id', 'operationName', 'variables', 'extensions'];

/** Checks that a POST has a body to read. @throws AppError UNSUPPORTED_MEDIA_TYPE, then the error that reading it failed with */
export const checkJsonBody = (request: GatewayRequest): void => {
  const { 'content-type': contentType = '' } = request.headers;
  if (contentType !== 'application/json' && !isJson(contentType)) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'POST takes application/json in UTF-8 only.');
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A request body may not be compressed.');
  }
  if (request.body instanceof Error) throw request.body;
};

const isJson = (contentType: string): boolean => {
  const [mediaType, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
  );
  return mediaType === 'application/json' && isUtf8;
};

/** @throws AppError BAD_USER_INPUT for bytes that are not UTF-8, and QUERY_TOO_COMPLEX */
export const readText = (bytes: Buffer): string => {
  const text = decodeUtf8(bytes);
  checkJson(text);
  return text;
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    throw new AppError('BAD_USER_INPUT', 'The request body is not valid UTF-8.', { cause: error });
  }
};

/** The parameters in the text of a body; undefined for a body that Yoga refuses. @throws AppError BAD_USER_INPUT */
export const paramsOfBody = (text: string): RequestParams | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return toParams(value);
};

/** What all bodies of a shape have in common; undefined where the variables are not the only thing that differs, or the body is wrong. */
export const readShape = (fill: FillShape): RequestParams | undefined => {
  try {
    const [params, others] = EXAMPLES.map((variables) => {
      const read = paramsOfBody(readText(fill(JSON.stringify(variables))));
      return isDeepStrictEqual(read?.variables, variables) ? read : undefined;
    });
    return others && params;
  } catch {
    return undefined;
  }
};

/** Two, because a body may have something like its variables elsewhere. */
const EXAMPLES = [{ first: 1 }, { second: 2 }];

/**
 * The parameters in a body; undefined for a body that Yoga refuses.
 * @param split the same body, where its shape is known
 * @throws AppError BAD_USER_INPUT, QUERY_TOO_COMPLEX
 */
export const paramsOfPost = (
  body: Buffer,
  split: SplitBody<RequestParams | undefined> | undefined,
): RequestParams | undefined => {
  const parsed = split?.shape.parsed;
  const variables = parsed && objectIn(split.variables);
  if (!variables) return paramsOfBody(readText(body));
  const { query, documentId, operationName, extensions } = parsed;
  return { query, documentId, operationName, variables, extensions };
};

/** @param latin1 one character for each byte */
const objectIn = (latin1: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(IS_ASCII.test(latin1) ? latin1 : decodeUtf8(Buffer.from(latin1, 'latin1')));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const IS_ASCII = /^[\0-\x7f]*$/;

/**
 * The parameters in a query string, read as strictly as REST reads them: Yoga would accept broken encodings, and take the first of two queries.
 * Undefined for parameters that Yoga refuses.
 * @throws AppError BAD_USER_INPUT
 */
export const paramsOfTarget = ({ target }: Pick<GatewayRequest, 'target'>): RequestParams | undefined => {
  const fields = parseQueryString(splitTarget(target).query);
  for (const name of NAMES) {
    if ((fields.get(name)?.length ?? 0) > 1) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is given more than once.`);
    }
  }
  // An empty value is the same as an absent one.
  const textOf = (name: string): string | undefined => fields.get(name)?.[0] || undefined;
  // Yoga would report a syntax error in these as an internal error.
  const jsonOf = (name: string): unknown => {
    try {
      return JSON.parse(textOf(name) ?? 'null');
    } catch (error) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is not valid JSON.`, { cause: error });
    }
  };
  return toParams({
    query: textOf('query'),
    documentId: textOf('documentId'),
    doc_id: textOf('doc_id'),
    operationName: textOf('operationName'),
    variables: jsonOf('variables'),
    extensions: jsonOf('extensions'),
  });
};

/**
 * Accepts nothing that Yoga's `checkGraphQLQueryParams` refuses, because Yoga then reports the fault; but a document may be named by an id.
 * @throws AppError BAD_USER_INPUT for an id that is none
 */
const toParams = (value: unknown): RequestParams | undefined => {
  if (!isObject(value)) return undefined;
  for (const [name, given] of Object.entries(value)) {
    if (given !== null && given !== undefined && !NAMES.includes(name)) return undefined;
  }
  const { query, operationName, variables, extensions } = value;
  if (!isObjectOrNone(variables) || !isObjectOrNone(extensions)) return undefined;
  const documentId = documentIdOf(value, extensions ?? {});
  const text = query ?? undefined;
  if (text === undefined ? documentId === undefined : typeof text !== 'string') return undefined;
  return {
    query: text as string | undefined,
    documentId,
    // An empty name is none. Yoga accepts a name of any type; one that is not a string selects no operation.
    operationName: operationName === '' ? undefined : (operationName as RequestParams['operationName']),
    variables: variables ?? {},
    extensions: extensions ?? {},
  };
};

/** As Relay, the draft on persisted documents, and Apollo's clients name a document. */
const documentIdOf = (
  { documentId, doc_id }: Record<string, unknown>,
  { persistedQuery }: Record<string, unknown>,
): string | undefined => {
  const hash = persistedQuery == null ? undefined : isObject(persistedQuery) ? persistedQuery.sha256Hash : NaN;
  const id = documentId ?? doc_id ?? hash ?? undefined;
  if (id !== undefined && (typeof id !== 'string' || id === '')) {
    throw new AppError('BAD_USER_INPUT', 'The id of a persisted document must be a string.');
  }
  return id;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isObjectOrNone = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value === null || value === undefined || isObject(value);

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
const PAGE_TYPE = 'text/html; charset=utf-8';

/** The content types of results that are no events; the first is the default. https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types */
const RESULT_TYPES = [JSON_TYPE, GRAPHQL_TYPE];

/** These mean the default, as an absent header does. */
const NO_PREFERENCE: ReadonlySet<string> = new Set(['', '*/*', 'application/json']);

/** No client has so many preferences, and reading a header of 32 KiB takes 5 ms. */
const MAX_ACCEPT_CHARS = 2048;

const preferredOf = (accept: string | undefined, types: readonly string[]): string | undefined => {
  if (accept === undefined || NO_PREFERENCE.has(accept)) return JSON_TYPE;
  return accept.length > MAX_ACCEPT_CHARS ? undefined : new Negotiator({ headers: { accept } }).mediaType([...types]);
};

/**
 * The content type of a result, decided before anything runs: JSON where the client accepts it, because it can be cached.
 * @throws AppError NOT_ACCEPTABLE
 */
export const negotiate = (accept: string | undefined): string =>
  preferredOf(accept, RESULT_TYPES) ??
  (acceptsEvents(accept)
    ? EVENT_STREAM_TYPE
    : notAcceptable('Answers are application/json, application/graphql-response+json or text/event-stream.'));

/** The content type of the results of a subscription. @throws AppError NOT_ACCEPTABLE */
export const negotiateEvents = (accept: string | undefined): string =>
  acceptsEvents(accept)
    ? EVENT_STREAM_TYPE
    : notAcceptable('A subscription is answered by events: Accept: text/event-stream.');

/** The header has to name the type: a client that accepts anything would wait for the end of the response. */
const acceptsEvents = (accept: string | undefined): boolean =>
  accept?.includes('text/event-stream') === true && preferredOf(accept, [EVENT_STREAM_TYPE]) === EVENT_STREAM_TYPE;

const notAcceptable = (message: string): never => {
  throw new AppError('NOT_ACCEPTABLE', message, { headers: { vary: 'accept' } });
};

/** The content type of an error: the default where the client accepts none of them, because the error is about something else. */
export const errorTypeOf = (accept: string | undefined): string => preferredOf(accept, RESULT_TYPES) ?? JSON_TYPE;

/** Whether the client prefers a page to JSON, as a browser does that opens an address. */
export const wantsPage = (accept: string | undefined): boolean =>
  accept?.includes('text/html') === true && preferredOf(accept, [...RESULT_TYPES, PAGE_TYPE]) === PAGE_TYPE;
