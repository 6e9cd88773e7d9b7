import { type IncomingHttpHeaders, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import { AppError, ERROR_TABLE } from '../errors.ts';
import type { ShownLanguage } from '../language/languages.ts';

export const GRAPHQL_PATH = '/graphql';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A request as the server, or `fetch`, hands it to the pipeline. */
export interface GatewayRequest {
  readonly method: string;
  /** The request target as it was sent: path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The whole body, or why it could not be read, where the request {@link takesBody}. */
  readonly body: Buffer | AppError | undefined;
  /** Why the server refuses the request before looking at what it asks for. */
  readonly fault: AppError | undefined;
  /** Whether the client no longer waits for the response. */
  readonly isGone?: () => boolean;
}

/** Whether a request with this method asks by its body. QUERY is a GET with a body: https://www.rfc-editor.org/rfc/rfc10008 */
export const asksByBody = (method: string): boolean => method === 'POST' || method === 'QUERY';

/** Whether the body of a request has to be read before the request is handled. */
export const takesBody = (method: string, target: string): boolean =>
  asksByBody(method) && isAskedByBody(splitTarget(target).path);

/** Paths of the catalogue protocol, which takes JSON by POST. */
export const CATALOG_PATHS = '/ucp/';

const isAskedByBody = (path: string): boolean => path === GRAPHQL_PATH || path.startsWith(CATALOG_PATHS);

/** What a path that takes QUERY says of the body: https://www.rfc-editor.org/rfc/rfc10008#name-the-accept-query-header-fi */
export const ACCEPT_QUERY = { 'accept-query': 'application/json' };

export interface GatewayResponse {
  readonly status: number;
  /** Names in lower case; of `set-cookie` a list. Belongs to this response alone: each layer adds its headers to it. */
  readonly headers: Record<string, string | number | string[]>;
  /** Null for no body. A HEAD request gets the headers, without the body. */
  readonly body: string | Uint8Array | null;
  /** In place of a body, one that is sent as it comes: called once, after the headers. @returns what is called when the client has gone */
  readonly stream?: (sink: BodySink) => () => void;
  /** How a string becomes bytes. `latin1`: each character is one byte of a text in UTF-8. @default 'utf8' */
  readonly encoding?: 'utf8' | 'latin1';
  /** The same headers as valid lines, each with its end, where they are serialized already. */
  readonly lines?: string | undefined;
}

/** Takes the parts of a body as they come, and waits for nobody. */
export interface BodySink {
  /** Sends a part. False: the client has left too much unread, and was cut. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** Whether the client has still to read something, beyond what the system buffers. */
  readonly hasUnread: () => boolean;
  readonly end: () => void;
}

/** A client that has left so much of a streamed body unread, beyond what the system buffers, is cut. */
export const MAX_UNREAD_BYTES = 262_144;

/**
 * The headers that frame a message or belong to its connection: only what writes to the connection may set them.
 * https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
 */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Removes the headers that a response may not set for its connection. @returns the same object */
export const dropConnectionHeaders = <Headers extends GatewayResponse['headers']>(headers: Headers): Headers => {
  for (const name of CONNECTION_HEADERS) if (name in headers) delete headers[name];
  return headers;
};

/** A `Vary` with what a plugin has said beside it. */
export const varyBy = (own: string, added: unknown): string => (added ? `${own}, ${added}` : own);

/** @param language undefined where the response says nothing of it */
export const varyByLanguage = (vary: unknown, language: ShownLanguage | undefined): string =>
  language?.isNegotiated ? varyBy('accept-language', vary) : String(vary ?? '');

/** Adds the headers that say in which language a response is, and whether the request decided that by its header. */
export const inLanguage = (
  headers: GatewayResponse['headers'],
  language: ShownLanguage | undefined,
): GatewayResponse['headers'] => {
  if (!language) return headers;
  const vary = varyByLanguage(headers.vary, language);
  return { ...headers, 'content-language': language.code, ...(vary && { vary }) };
};

/** Headers of a plugin that HTTP can carry. Characters beyond Latin-1 are sent as their bytes in UTF-8; what is no header is left out. */
export const validHeaders = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] => {
      const text = String(value);
      const sent = BEYOND_LATIN1.test(text) ? Buffer.from(text).toString('latin1') : text;
      try {
        validateHeaderName(name);
        validateHeaderValue(name, sent);
        return [[name, sent]];
      } catch {
        return [];
      }
    }),
  );

const BEYOND_LATIN1 = /[^\0-\xff]/;

/** Headers as they are on the wire, each line with its end, without those of the connection. @throws TypeError for an invalid header */
export const writeLines = (headers: GatewayResponse['headers']): string =>
  Object.entries(dropConnectionHeaders(headers))
    .map(([name, value]) => {
      validateHeaderName(name);
      validateHeaderValue(name, String(value));
      return `${name}: ${value}\r\n`;
    })
    .join('');

const readLines = (lines: string): GatewayResponse['headers'] =>
  Object.fromEntries(
    lines
      .slice(0, -2)
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );

/** A response whose headers are text already (`sendLines` sends them). They are parsed only where somebody reads them. */
export class WrittenResponse implements GatewayResponse {
  readonly status: number;
  readonly body: GatewayResponse['body'];
  readonly encoding: 'utf8' | 'latin1';
  readonly lines: string;
  #headers: GatewayResponse['headers'] | undefined;

  constructor(lines: string, body: GatewayResponse['body'], status = 200, encoding: 'utf8' | 'latin1' = 'latin1') {
    this.status = status;
    this.lines = lines;
    this.body = body;
    this.encoding = encoding;
  }

  get headers(): GatewayResponse['headers'] {
    this.#headers ??= readLines(this.lines);
    return this.#headers;
  }
}

export const MAX_TARGET_CHARS = 8192;

export const MAX_HEADER_BYTES = 32_768;

export const splitTarget = (target: string): { path: string; query: string } => {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
};

export const jsonResponse = (
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): GatewayResponse => ({
  status,
  headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(value),
});

/** Problem details for an HTTP API: https://www.rfc-editor.org/rfc/rfc9457 */
export const problemResponse = (error: AppError): GatewayResponse => ({
  status: error.status,
  headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', ...error.headers },
  body: problemText(error),
});

export const problemText = ({ code, status, message, argument }: AppError): string => {
  // A plugin has codes of its own.
  const title = ERROR_TABLE[code]?.title ?? STATUS_CODES[status];
  const problem = { type: `urn:vitrine:error:${code}`, title, status, detail: message, code };
  return JSON.stringify(argument ? { ...problem, parameter: argument } : problem);
};

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Writes the errors of a protocol. @param headers of the request */
export type WriteError = (error: AppError, headers: IncomingHttpHeaders) => GatewayResponse;

/** Whether an `Accept` names a media type itself, not by a range, in whatever case. @param type in lower case */
export const namesType = (accept: string | undefined, type: string): boolean =>
  accept?.toLowerCase().includes(type) === true;

/** @throws AppError BAD_USER_INPUT for a broken percent encoding, or one that is not UTF-8 */
export const percentDecode = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError('BAD_USER_INPUT', 'The request target has a percent encoding that is not valid UTF-8.');
  }
};

/**
 * The fields of a query string. A broken encoding is an error, not a replacement character.
 * @throws AppError BAD_USER_INPUT
 */
export const parseQueryString = (query: string): URLSearchParams => {
  percentDecode(query);
  // Of a "?" at its beginning, URLSearchParams would take no notice.
  return new URLSearchParams(`?${query}`);
};
