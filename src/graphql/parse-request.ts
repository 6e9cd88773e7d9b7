import Negotiator from 'negotiator';
import { AppError } from '../errors.ts';
import { type GatewayRequest, parseQueryString, splitTarget } from '../http/message.ts';
import { readable, tooComplex } from './limits/query-limits.ts';

/** The parameters of a GraphQL request: https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters */
export interface RequestParams {
  readonly query: string;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const NAMES: readonly string[] = ['query', 'operationName', 'variables', 'extensions'];

/** The body of a POST, not looked into. @throws AppError UNSUPPORTED_MEDIA_TYPE, then what reading it failed with */
export const jsonBodyOf = (request: GatewayRequest): Buffer | undefined => {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
  );
  if (mediaType !== 'application/json' || !isUtf8) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'POST takes application/json in UTF-8 only.');
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A request body may not be compressed.');
  }
  if (request.body instanceof Error) throw request.body;
  return request.body;
};

/** @throws AppError BAD_USER_INPUT for bytes that are not UTF-8, and QUERY_TOO_COMPLEX */
export const readText = (bytes: Buffer): string => {
  const text = decodeUtf8(bytes);
  checkJson(text);
  return text;
};

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError('BAD_USER_INPUT', 'The request body is not valid UTF-8.', { cause: error });
  }
};

/** The parameters in the text of a body; undefined for what Yoga refuses. */
export const paramsOfBody = (text: string): RequestParams | undefined => {
  try {
    return toParams(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/**
 * The parameters in a query string, read as strictly as REST reads them: Yoga would put replacement characters for what is broken, and take the
 * first of two queries. Undefined for what Yoga refuses.
 * @throws AppError BAD_USER_INPUT
 */
export const paramsOfTarget = ({ target }: Pick<GatewayRequest, 'target'>): RequestParams | undefined => {
  const fields = parseQueryString(splitTarget(target).query);
  for (const name of NAMES) {
    if ((fields.get(name)?.length ?? 0) > 1) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is given more than once.`);
    }
  }
  // An empty value is the same as none.
  const textOf = (name: string): string | undefined => fields.get(name)?.[0] || undefined;
  // Yoga would take a failure to parse these for one of its own.
  const jsonOf = (name: string): unknown => {
    try {
      return JSON.parse(textOf(name) ?? 'null');
    } catch (error) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is not valid JSON.`, { cause: error });
    }
  };
  return toParams({
    query: textOf('query'),
    operationName: textOf('operationName'),
    variables: jsonOf('variables'),
    extensions: jsonOf('extensions'),
  });
};

/** No laxer than Yoga's `checkGraphQLQueryParams`, which says what is wrong with a request that is none. */
const toParams = (value: unknown): RequestParams | undefined => {
  if (!isObject(value)) return undefined;
  for (const [name, given] of Object.entries(value)) {
    if (given !== null && given !== undefined && !NAMES.includes(name)) return undefined;
  }
  const { query, operationName, variables, extensions } = value;
  if (typeof query !== 'string' || !isObjectOrNone(variables) || !isObjectOrNone(extensions)) return undefined;
  return {
    query,
    // Yoga takes a name of any type; one that is no text names no operation.
    operationName: operationName as RequestParams['operationName'],
    variables: variables ?? {},
    extensions: extensions ?? {},
  };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isObjectOrNone = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value === null || value === undefined || isObject(value);

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
const PAGE_TYPE = 'text/html; charset=utf-8';

/**
 * What an operation can be answered as; the first where a client has no preference. `text/event-stream` joins this list with subscriptions.
 * https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types
 */
const ANSWER_TYPES = [JSON_TYPE, GRAPHQL_TYPE];

/** They ask for the default, as no header does; an empty one is read as none. */
const NO_PREFERENCE: ReadonlySet<string> = new Set(['', '*/*', 'application/json']);

/** No client has so many preferences; to read a header of 32 KiB takes 5 ms. */
const MAX_ACCEPT_CHARS = 2048;

const preferredOf = (accept: string | undefined, types: readonly string[]): string | undefined => {
  if (accept === undefined || NO_PREFERENCE.has(accept)) return JSON_TYPE;
  return accept.length > MAX_ACCEPT_CHARS ? undefined : new Negotiator({ headers: { accept } }).mediaType([...types]);
};

/** The content type that the client of an operation wants; undefined where it takes none that there is. */
const answerTypeOf = (accept: string | undefined): string | undefined => preferredOf(accept, ANSWER_TYPES);

/** The content type of an answer, known before anything runs. @throws AppError NOT_ACCEPTABLE */
export const negotiate = (accept: string | undefined): string => {
  const contentType = answerTypeOf(accept);
  if (contentType !== undefined) return contentType;
  throw new AppError('NOT_ACCEPTABLE', 'Answers are application/json or application/graphql-response+json.', {
    headers: { vary: 'accept' },
  });
};

/** The content type of an error that a client gets whatever it accepts, because the request is refused for another reason. */
export const errorTypeOf = (accept: string | undefined): string => answerTypeOf(accept) ?? JSON_TYPE;

/** Whether a page is preferred to JSON, as by a browser that opens an address. */
export const wantsPage = (accept: string | undefined): boolean =>
  accept?.includes('text/html') === true && preferredOf(accept, [...ANSWER_TYPES, PAGE_TYPE]) === PAGE_TYPE;

const MAX_NESTING = 64;
const MAX_TAGS = 10_000;

/** Below this the parser takes a few milliseconds, whatever the text is made of; of 1 MiB of brackets it makes more than a hundred. */
const MIN_CHARS = 65_536;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const OPEN_BRACKET = '['.charCodeAt(0);
const CLOSE_BRACKET = ']'.charCodeAt(0);
const OPEN_BRACE = '{'.charCodeAt(0);
const CLOSE_BRACE = '}'.charCodeAt(0);

/**
 * Looks through a long JSON text before it is parsed: values that are deep, or made of many objects, take the parser far longer than
 * long lists and texts.
 * @throws AppError QUERY_TOO_COMPLEX
 */
const checkJson = (text: string): void => {
  if (text.length < MIN_CHARS) return;
  let nesting = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COLON) parts += 1;
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      parts += 1;
      nesting += 1;
      if (nesting > MAX_NESTING) throw excess('nests values', 'deep', MAX_NESTING, nesting);
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) nesting -= 1;
    if (parts > MAX_TAGS) throw excess('is made of', 'lists, objects and keys', MAX_TAGS, parts);
  }
};

const excess = (what: string, unit: string, maximum: number, actual: number) =>
  tooComplex(`The JSON of the request ${what} more than ${readable(maximum)} ${unit}.`, {
    limit: 'JSON',
    maximum,
    actual,
  });

const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
};
