import { setImmediate as nextTurn } from 'node:timers/promises';
import { MIMEType } from 'node:util';
import { AppError } from '../errors.ts';
import { ACCEPT_QUERY, asksByBody, type GatewayRequest } from '../http/message.ts';
import { refuseExcess } from './limits/document-size.ts';

let lastLarge: Promise<unknown> = Promise.resolve();

/**
 * Reads a body as JSON. A large one takes up to 25 ms: no two are read in one turn of the event loop, so that others are answered in between.
 * @throws (in the promise) what {@link jsonOf} throws
 */
export const readJson = async (bytes: Buffer): Promise<unknown> => {
  if (bytes.byteLength >= LARGE) {
    lastLarge = lastLarge.then(() => nextTurn());
    await lastLarge;
  }
  return jsonOf(bytes);
};

/** @throws AppError BAD_USER_INPUT for what is no JSON in UTF-8, and QUERY_TOO_COMPLEX */
export const jsonOf = (bytes: Buffer): unknown => {
  const text = decodeUtf8(bytes);
  checkJson(text);
  return parseJson(text, 'The request body');
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    throw new AppError('BAD_USER_INPUT', 'The request body is not valid UTF-8.', { cause: error });
  }
};

/** @throws AppError BAD_USER_INPUT */
export const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('BAD_USER_INPUT', `${what} is not valid JSON.`, { cause: error });
  }
};

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
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
};

const MAX_NESTING = 64;
const MAX_PARTS = 20_000;

/** A shorter text takes the parser a few milliseconds at most; 1 MiB of brackets takes more than a hundred. */
const LARGE = 65_536;

/**
 * Checks a long JSON text before it is parsed: deeply nested values and many small objects take the parser far longer than long strings do,
 * and each item of a list is coerced before the list is found to be too long.
 * @throws AppError QUERY_TOO_COMPLEX
 */
const checkJson = (text: string): void => {
  if (text.length < LARGE) return;
  let nesting = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === ':' || char === ',') parts += 1;
    else if (char === '[' || char === '{') {
      parts += 1;
      nesting += 1;
      refuseExcess('levels of JSON', { limit: 'JSON', actual: nesting, maximum: MAX_NESTING });
    } else if (char === ']' || char === '}') nesting -= 1;
    if (parts > MAX_PARTS)
      refuseExcess('lists, objects, keys and items', { limit: 'JSON', actual: parts, maximum: MAX_PARTS });
  }
};

/** Where a JSON string ends whose first quote is here: its other quote, or the end of the text or behind. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
};
