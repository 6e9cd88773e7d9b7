import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { GatewayResponse } from './message.ts';
import { LINGER_MS } from './refusal.ts';

/** Writes an answer. @throws TypeError for a header that cannot be one */
export const send = (request: IncomingMessage, response: ServerResponse, answered: GatewayResponse): void => {
  if (answered.lines !== undefined && sendWritten(request, response, answered.lines, answered)) return;
  const { status, headers, body, encoding = 'utf8' } = answered;
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

/**
 * By the function with which Node's own classes begin a head: it takes lines for what comes before its own. False where it is not there, and for a
 * response whose headers are not all in the lines.
 */
const sendWritten = (
  request: IncomingMessage,
  response: ServerResponse & { _storeHeader?: (start: string, headers: readonly string[]) => void },
  lines: string,
  { status, body, encoding }: GatewayResponse,
): boolean => {
  if (response._storeHeader === undefined || body === null || encoding === undefined) return false;
  if (response.hasHeader('connection') || isUnread(request) || request.headers.expect !== undefined) return false;
  const length = Buffer.byteLength(body, encoding);
  response._storeHeader(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}`, ['content-length', String(length)]);
  response.end(body, encoding);
  return true;
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
