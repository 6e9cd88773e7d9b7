import type { IncomingHttpHeaders } from 'node:http';

/** A request as the gateway reads it, from a socket or from a test. */
export interface GatewayRequest {
  readonly method: string;
  /** The request target as it was sent: path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Reads the whole body. @throws AppError PAYLOAD_TOO_LARGE */
  readonly body: () => Promise<Buffer>;
}

export interface GatewayResponse {
  readonly status: number;
  /** Names in lower case. An object of this response's own, to which each layer adds its headers. */
  readonly headers: Record<string, string | number>;
  /** Null for no body. A HEAD request gets the headers of this body without it. */
  readonly body: string | Uint8Array | null;
  /** How a body that is a string becomes bytes. `latin1`: each character is one byte, whatever text they make. @default 'utf8' */
  readonly encoding?: 'utf8' | 'latin1';
  /** The same headers as lines, each with its end, where they are written already. All of them are sound. */
  readonly lines?: string;
}

export const MAX_TARGET_CHARS = 8192;

export const splitTarget = (target: string): { path: string; query: string } => {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
};
