import type { GraphQLParams } from 'graphql-yoga';
import Negotiator from 'negotiator';
import { AppError } from '../errors.ts';
import {
  asksByBody,
  type GatewayRequest,
  JSON_TYPE,
  namesType,
  parseQueryString,
  splitTarget,
} from '../http/message.ts';
import { jsonOf, parseJson, readJson } from './json-body.ts';
import type { GatewayPlugin } from './server-context.ts';

/**
 * Reads the parameters of a request as the contract says: POST and QUERY are JSON in UTF-8 only, a parameter is given once, and an empty
 * `operationName` is none. The bytes are those that the server has read; Yoga reads the bytes of a request that a plugin has put in the place
 * of the client's.
 */
export const useRequestReader = (): GatewayPlugin => {
  const ofClients = new WeakSet<Request>();
  return {
    onRequest: ({ request }) => void ofClients.add(request),
    onRequestParse: ({ serverContext: { call }, setRequestParser }) => {
      setRequestParser(async (given) => {
        const { method, target, body } = ofClients.has(given)
          ? call.request
          : { method: given.method, target: given.url, body: Buffer.from(await given.arrayBuffer()) };
        return asksByBody(method)
          ? paramsOfJson(await readJson(body as Buffer))
          : paramsOfQuery(splitTarget(target).query);
      });
    },
  };
};

/** The parameters of a client's request. @throws AppError BAD_USER_INPUT, QUERY_TOO_COMPLEX */
export const paramsOf = ({ method, target, body }: GatewayRequest): GraphQLParams =>
  asksByBody(method) ? paramsOfJson(jsonOf(body as Buffer)) : paramsOfQuery(splitTarget(target).query);

/** The parameters in the JSON of a body. @throws AppError BAD_USER_INPUT */
const paramsOfJson = (value: unknown): GraphQLParams => {
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
