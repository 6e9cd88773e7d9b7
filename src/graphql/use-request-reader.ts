import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLParams } from 'graphql-yoga';
import Negotiator from 'negotiator';
import { AppError } from '../errors.ts';
import {
  ACCEPT_QUERY,
  asksByBody,
  type GatewayRequest,
  JSON_TYPE,
  namesType,
  parseQueryString,
  splitTarget,
} from '../http/message.ts';
import { refuseExcess } from './limits/document-size.ts';
import type { GatewayPlugin } from './server-context.ts';

/**
 * Reads the parameters of a request as the contract says: POST and QUERY are JSON in UTF-8 only, a parameter is given once, and an empty
 * `operationName` is none. The bytes are those that the server has read; Yoga reads the bytes of a request that a plugin has put in the place
 * of the client's.
 */
export const useRequestReader = (): GatewayPlugin => {
  const ofClients = new WeakSet<Request>();
  const largeBodies = new LargeBodies();
  return {
    onRequest: ({ request }) => void ofClients.add(request),
    onRequestParse: ({ serverContext: { call }, setRequestParser }) => {
      setRequestParser(async (given) => {
        await largeBodies.turn(call.request.body);
        if (ofClients.has(given)) return paramsOf(call.request);
        return given.method === 'POST' ? paramsOfText(await given.text()) : paramsOfQuery(splitTarget(given.url).query);
      });
    },
  };
};

/** The parameters of a client's request. @throws AppError BAD_USER_INPUT, QUERY_TOO_COMPLEX */
export const paramsOf = ({ method, target, body }: GatewayRequest): GraphQLParams =>
  asksByBody(method) ? paramsOfText(readText(body as Buffer)) : paramsOfQuery(splitTarget(target).query);

/** Reading a large body takes up to 20 ms: no two are read in one turn of the event loop, so that others are answered in between. */
class LargeBodies {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when this one may be read. */
  async turn(body: GatewayRequest['body']): Promise<void> {
    if (!Buffer.isBuffer(body) || body.byteLength < LARGE) return;
    this.#last = this.#last.then(() => nextTurn());
    await this.#last;
  }
}

/** Why the body of a request is not read: UNSUPPORTED_MEDIA_TYPE, or the error that receiving it failed with. */
export const bodyFault = ({ method, headers, body }: GatewayRequest): AppError | undefined => {
  if (!asksByBody(method)) return undefined;
  const { 'content-type': contentType = '' } = headers;
  if (contentType !== 'application/json' && !isJson(contentType)) {
    return unsupported(`${method} takes application/json in UTF-8 only.`);
  }
  if (headers['content-encoding'] !== undefined) {
    return unsupported('A request body may not be compressed.');
  }
  return body instanceof AppError ? body : undefined;
};

const unsupported = (message: string): AppError =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', message, { headers: ACCEPT_QUERY });

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
const readText = (bytes: Buffer): string => {
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

/** The JSON of a body. @throws AppError BAD_USER_INPUT for what is no JSON in UTF-8, and QUERY_TOO_COMPLEX */
export const jsonOfBody = (bytes: Buffer): unknown => parseJson(readText(bytes), 'The request body');

/** The parameters in the text of a body, as a client wrote them. @throws AppError BAD_USER_INPUT */
const paramsOfText = (text: string): GraphQLParams => {
  const value = parseJson(text, 'The request body');
  if (typeof value !== 'object' || value === null) {
    const given = value === null ? 'null' : typeof value;
    throw new AppError('BAD_USER_INPUT', `The request body must be an object, not ${given}.`);
  }
  const params: GraphQLParams = value;
  if (params.operationName !== '') return params;
  // An empty name is the same as none.
  const { operationName: _, ...others } = params;
  return others;
};

const TEXTS: readonly string[] = ['query', 'documentId', 'doc_id', 'operationName'];
const JSONS: readonly string[] = ['variables', 'extensions'];

/**
 * The parameters in a query string, read as strictly as REST reads them: Yoga would accept broken encodings, take the first of two queries,
 * and report a syntax error in JSON as an internal error.
 * @throws AppError BAD_USER_INPUT
 */
const paramsOfQuery = (query: string): GraphQLParams => {
  const fields = parseQueryString(query);
  const params = [...TEXTS, ...JSONS].map((name) => {
    const [text, ...more] = fields.getAll(name);
    if (more.length > 0) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is given more than once.`);
    }
    // An empty value is the same as an absent one.
    if (!text) return [name, undefined];
    return [name, JSONS.includes(name) ? parseJson(text, `The query parameter "${name}"`) : text];
  });
  return Object.fromEntries(params);
};

const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('BAD_USER_INPUT', `${what} is not valid JSON.`, { cause: error });
  }
};

const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

const PAGE_TYPE = 'text/html; charset=utf-8';

/** The content types of results that are no events; the first is the default. https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types */
export const RESULT_TYPES = [JSON_TYPE, GRAPHQL_TYPE];

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

/** The results of a subscription are events. @throws AppError NOT_ACCEPTABLE */
export const negotiateEvents = (accept: string | undefined): void => {
  if (!acceptsEvents(accept)) notAcceptable('A subscription is answered by events: Accept: text/event-stream.');
};

/** The header has to name the type: a client that accepts anything would wait for the end of the response. */
const acceptsEvents = (accept: string | undefined): boolean =>
  namesType(accept, 'text/event-stream') && preferredOf(accept, [EVENT_STREAM_TYPE]) === EVENT_STREAM_TYPE;

const notAcceptable = (message: string): never => {
  throw new AppError('NOT_ACCEPTABLE', message, { headers: { vary: 'accept' } });
};

/** The content type of an error: the default where the client accepts none of them, because the error is about something else. */
export const errorTypeOf = (accept: string | undefined): string => preferredOf(accept, RESULT_TYPES) ?? JSON_TYPE;

/** Whether the client prefers a page to JSON, as a browser does that opens an address. */
export const wantsPage = (accept: string | undefined): boolean =>
  namesType(accept, 'text/html') && preferredOf(accept, [...RESULT_TYPES, PAGE_TYPE]) === PAGE_TYPE;

const MAX_NESTING = 64;
const MAX_PARTS = 10_000;

/** A shorter text takes the parser a few milliseconds at most; 1 MiB of brackets takes more than a hundred. */
const LARGE = 65_536;

/**
 * Checks a long JSON text before it is parsed: deeply nested values and many small objects take the parser far longer than long lists and
 * strings do.
 * @throws AppError QUERY_TOO_COMPLEX
 */
const checkJson = (text: string): void => {
  if (text.length < LARGE) return;
  let nesting = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === ':') parts += 1;
    else if (char === '[' || char === '{') {
      parts += 1;
      nesting += 1;
      refuseExcess('levels of JSON', { limit: 'JSON', actual: nesting, maximum: MAX_NESTING });
    } else if (char === ']' || char === '}') nesting -= 1;
    if (parts > MAX_PARTS)
      refuseExcess('lists, objects and keys', { limit: 'JSON', actual: parts, maximum: MAX_PARTS });
  }
};

/** Where a JSON string ends whose first quote is here: its other quote, or the end of the text or behind. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
};
