import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../errors.ts';
import { responseUnderWay, sendLines } from '../fast-path/node-http.ts';
import { dropConnectionHeaders, type GatewayResponse, MAX_TARGET_CHARS, problemResponse } from './message.ts';

/** Writes an answer. @throws TypeError for a header that cannot be one */
export const send = (request: IncomingMessage, response: ServerResponse, answered: GatewayResponse): void => {
  if (answered.lines !== undefined && sendWritten(request, response, answered.lines, answered)) return;
  const { status, body, encoding = 'utf8' } = answered;
  const headers = dropConnectionHeaders(answered.headers);
  if (status !== 204 && status !== 304)
    headers['content-length'] = body === null ? 0 : Buffer.byteLength(body, encoding);
  // The rest of a body that nobody read would be taken for the next request.
  const mustClose = isUnread(request);
  if (mustClose) headers.connection = 'close';
  response.writeHead(status, headers);
  const sent = request.method === 'HEAD' ? null : body;
  if (mustClose) sendAndLinger(request, response, sent, encoding);
  else if (sent === null) response.end();
  else response.end(sent, encoding);
};

/** False for a response whose headers are not all in the lines. */
const sendWritten = (
  request: IncomingMessage,
  response: ServerResponse,
  lines: string,
  { status, body, encoding }: GatewayResponse,
): boolean => {
  if (body === null || encoding === undefined) return false;
  if (response.hasHeader('connection') || isUnread(request) || request.headers.expect !== undefined) return false;
  return sendLines(response, status, lines, body, encoding);
};

const isUnread = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * A connection that is closed while its client still sends is reset, and the client may never read the answer. So the answer goes out with our
 * end of the connection, and for a short time the rest of the body is taken in: https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
const sendAndLinger = (
  request: IncomingMessage,
  response: ServerResponse,
  body: GatewayResponse['body'],
  encoding: BufferEncoding,
): void => {
  if (body === null) response.flushHeaders();
  else response.write(body, encoding);
  const { socket } = request;
  // What `write` has gathered goes out in the next tick.
  process.nextTick(() => socket.end());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  request.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
  request.resume();
};

/** Answers on a connection that brought no request which could be handed on, and closes it. */
export type Refuse = (socket: Duplex, error: AppError) => void;

/** After the last answer of a connection, so long is taken in and thrown away what the client still sends. */
const LINGER_MS = 1000;

export const refuse: Refuse = (socket, error) => {
  const { status, headers, body } = problemResponse(error);
  const lines = Object.entries({
    ...dropConnectionHeaders(headers),
    'content-length': Buffer.byteLength(body ?? ''),
    connection: 'close',
  });
  socket.on('error', () => {});
  socket.write(`HTTP/1.1 ${status} \r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
  endAndLinger(socket);
};

// Closed at once, the client would be told of a reset before it has read why, if it is still sending.
const endAndLinger = (socket: Duplex): void => {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that came last. */
  readonly rawPacket?: Buffer;
}

/** For the parser the target is one of the headers: it is at fault where it alone is past its own bound. */
const LONG_TARGET = new RegExp(`^[A-Z]+ [^ \\r\\n]{${MAX_TARGET_CHARS + 1}}`);

const isTargetAtFault = ({ rawPacket }: ParserError): boolean =>
  rawPacket !== undefined && LONG_TARGET.test(rawPacket.toString('latin1', 0, 2 * MAX_TARGET_CHARS));

const toAppError = (error: ParserError): AppError => {
  const code = PARSER_ERRORS[error.code ?? ''] ?? 'BAD_USER_INPUT';
  if (code === 'HEADERS_TOO_LARGE' && isTargetAtFault(error)) {
    return new AppError('URI_TOO_LONG', 'The request target is too long.');
  }
  return new AppError(code, 'The request is not valid HTTP, too large or too slow.');
};

/**
 * For the event `clientError` of a server: answers what Node's parser would not take for a request, after the answers to the
 * requests before it, so that none is taken for another's.
 */
export const createParserRefusal = (): ((error: ParserError, socket: Duplex) => void) => {
  // Whatever more comes on such a connection is an error again.
  const known = new WeakSet<Duplex>();

  const answer = (error: ParserError, socket: Duplex): void => {
    const underWay = responseUnderWay(socket);
    if (underWay?.req.complete) {
      underWay.once('finish', () => answer(error, socket));
      return;
    }
    if (!socket.writable) socket.destroy();
    // The very request that is broken was answered for another reason: what is written, all of it, goes out in the next tick.
    else if (underWay?.headersSent) process.nextTick(endAndLinger, socket);
    else refuse(socket, toAppError(error));
  };

  return (error, socket) => {
    // Browsers open connections that they may need; a 408 on one would be shown as the answer to what is asked on it next.
    const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0;
    if (error.code === 'ECONNRESET' || isUnused) socket.destroy();
    else if (!known.has(socket)) {
      known.add(socket);
      answer(error, socket);
    }
  };
};
