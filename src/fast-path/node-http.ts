import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

// The inner members of Node's HTTP server that are used (lib/_http_outgoing.js, lib/_http_server.js), read here and nowhere else:
// docs/fast-path.md says what each is for.

interface InnerResponse {
  readonly _storeHeader?: (start: string, headers: readonly string[]) => void;
}

/**
 * Sends a response whose header lines are text already, by the function with which Node's own classes begin a head: it takes text for what comes
 * before the headers that Node adds (Date, Connection). By `writeHead` a response from memory costs 26 % more CPU time (2026-11-22); `written-heads`
 * compares the heads of both ways.
 * @param lines each with its end; all of them valid
 * @returns false where Node has no such function any more; nothing is sent then
 */
export const sendLines = (
  response: ServerResponse & InnerResponse,
  status: number,
  lines: string,
  body: string | Uint8Array,
  encoding: BufferEncoding,
): boolean => {
  if (response._storeHeader === undefined) return false;
  const length = Buffer.byteLength(body, encoding);
  response._storeHeader(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}`, ['content-length', String(length)]);
  response.end(body, encoding);
  return true;
};

/** What Node keeps on a socket: the response that is being made or sent. */
interface InnerSocket {
  readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null;
}

/**
 * The response that this connection waits for. No documented member says so of a connection whose request could not be parsed. Where Node has no
 * such member any more, it is always undefined: a broken request after a good one is refused before the good one is answered.
 */
export const responseUnderWay = (socket: Duplex & InnerSocket) => socket._httpMessage ?? undefined;
