import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../errors.ts';
import {
  dropConnectionHeaders,
  type GatewayResponse,
  MAX_HEADER_BYTES,
  MAX_UNREAD_BYTES,
  problemResponse,
  writeLines,
} from './message.ts';

/** Sends a response. @throws TypeError for a header that cannot be one */
export const send = (
  request: IncomingMessage,
  response: ServerResponse & InnerResponse,
  sent: GatewayResponse,
): void => {
  const { status, body, encoding = 'utf8', lines } = sent;
  if (sent.stream && request.method !== 'HEAD') {
    sendStream(request, response, sent, sent.stream);
    return;
  }
  // Node would take the bytes that follow an unread body for the next request.
  const mustClose = isUnread(request);
  if (lines !== undefined && body !== null && !mustClose && canSendLines(request, response)) {
    sendLines(response, status, lines, body, encoding);
    return;
  }
  const headers = dropConnectionHeaders(sent.headers);
  if (status !== 204 && status !== 304)
    headers['content-length'] = body === null ? 0 : Buffer.byteLength(body, encoding);
  if (mustClose) headers.connection = 'close';
  response.writeHead(status, headers);
  const sentBody = request.method === 'HEAD' ? null : body;
  if (mustClose) sendAndLinger(request, response, sentBody, encoding);
  else if (sentBody === null) response.end();
  else response.end(sentBody, encoding);
};

/** Sends a body that is streamed, and closes the connection after it. */
const sendStream = (
  { socket }: IncomingMessage,
  response: ServerResponse,
  { status, headers }: GatewayResponse,
  stream: NonNullable<GatewayResponse['stream']>,
): void => {
  response.writeHead(status, { ...dropConnectionHeaders(headers), connection: 'close' });
  const onClose = stream({
    write: (bytes) => {
      if (response.writableLength > MAX_UNREAD_BYTES) {
        // By a reset, or the system would keep the unread bytes.
        socket.resetAndDestroy();
        return false;
      }
      response.write(bytes);
      return true;
    },
    hasUnread: () => response.writableLength > 0,
    end: () => void response.end(),
  });
  if (response.destroyed || socket.destroyed) onClose();
  else {
    // Node 22 closes no response that waits for another one of its connection; of these there may be many.
    socket.setMaxListeners(0);
    socket.once('close', onClose);
  }
  // Until the next event is sent, nothing else shows that the client has gone.
  response.socket?.once('end', () => response.destroy());
};

/** Node's own classes begin a head by this (lib/_http_outgoing.js): the text comes before the headers that Node adds (Date, Connection). */
interface InnerResponse {
  readonly _storeHeader?: (start: string, headers: readonly string[]) => void;
}

/**
 * Whether the head can be sent as text: not where other headers are set, nor where Node has no such function any more. `writeHead` does the
 * same, but costs a hit 26 % (docs/fast-path.md).
 */
const canSendLines = ({ method }: IncomingMessage, response: ServerResponse & InnerResponse): boolean =>
  method !== 'HEAD' &&
  response._storeHeader !== undefined &&
  !response.hasHeader('connection') &&
  !response.hasHeader('ratelimit');

/** Sends a response whose header lines are text already; `written-heads` compares the heads of both ways. */
const sendLines = (
  response: ServerResponse & InnerResponse,
  status: number,
  lines: string,
  body: string | Uint8Array,
  encoding: BufferEncoding,
): void => {
  const length = Buffer.byteLength(body, encoding);
  response._storeHeader?.(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}`, ['content-length', String(length)]);
  response.end(body, encoding);
};

const isUnread = ({ complete, headers }: IncomingMessage): boolean =>
  !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

/**
 * A connection that is closed while its client still sends is reset, and the client may never read the response. So our side of the connection
 * is ended, and for a short time the rest of the body is read: https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
const sendAndLinger = (
  request: IncomingMessage,
  response: ServerResponse,
  body: GatewayResponse['body'],
  encoding: BufferEncoding,
): void => {
  if (body === null) response.flushHeaders();
  else response.write(body, encoding);
  // Node writes what it has buffered in the next tick.
  process.nextTick(endAndLinger, request.socket);
  request.resume();
};

/** After the last response of a connection, what the client still sends is read and dropped for this long. */
const LINGER_MS = 1000;

/** Answers on a connection whose request could not be handed on, and closes it. */
const refuse = (socket: Duplex, error: AppError): void => {
  const { status, headers, body } = problemResponse(error);
  const framing = `content-length: ${Buffer.byteLength(body ?? '')}\r\nconnection: close\r\n`;
  socket.on('error', () => {});
  socket.write(`HTTP/1.1 ${status} \r\n${writeLines(headers)}${framing}\r\n${body}`);
  endAndLinger(socket);
};

// If the connection were closed at once, a client that is still sending would get a reset before it has read why.
const endAndLinger = (socket: Duplex): void => {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

const PARSER_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'HEADERS_TOO_LARGE',
    `The target and headers of a request may have at most ${MAX_HEADER_BYTES} bytes together.`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', 'The extension of a chunk is too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time.'],
};

const parserFault = ({ code = '' }: NodeJS.ErrnoException): AppError =>
  new AppError(...(PARSER_ERRORS[code] ?? ['BAD_USER_INPUT', 'The request is not valid HTTP.']));

/** Node keeps on a socket the response that is being made or sent (lib/_http_server.js). */
interface InnerSocket {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null;
}

/**
 * The response that this connection waits for. No documented member says so of a connection whose request could not be parsed. Where Node has no
 * such member any more, it is always undefined: a broken request after a good one is refused before the good one is answered.
 */
export const responseUnderWay = (socket: Duplex & InnerSocket) => socket._httpMessage ?? undefined;

/**
 * For the event `clientError` of a server: answers what Node's parser did not accept as a request, after the responses to the requests
 * before it, so that each client can tell which response is whose.
 */
export const createParserRefusal = (): ((error: NodeJS.ErrnoException, socket: Duplex) => void) => {
  // More bytes on such a connection are an error again.
  const known = new WeakSet<Duplex>();

  const answer = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const underWay = responseUnderWay(socket);
    if (underWay?.req.complete) {
      underWay.once('finish', () => answer(error, socket));
      return;
    }
    if (!socket.writable) socket.destroy();
    // The broken request itself was answered for another reason: Node writes all of that response in the next tick.
    else if (underWay?.headersSent) process.nextTick(endAndLinger, socket);
    else refuse(socket, parserFault(error));
  };

  return (error, socket) => {
    // Without a word: browsers open connections that they may need, and would take a 408 on one for the response to the next request.
    const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && 'bytesRead' in socket && socket.bytesRead === 0;
    if (isUnused || error.code === 'ECONNRESET') socket.destroy();
    else if (!known.has(socket)) {
      known.add(socket);
      answer(error, socket);
    }
  };
};
