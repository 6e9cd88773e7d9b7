import xxhash from 'xxhash-wasm';
import type { LateValue } from './late-value.ts';
import type { TaggedRead } from './tags.ts';

/** Where the response of a key is kept: the latest, until it is evicted. */
export interface CacheEntry {
  response: CachedResponse | undefined;
}

/** The finished bytes of a response, and how long they hold. */
export interface CachedResponse extends TaggedRead {
  readonly key: string;
  readonly entry: CacheEntry;
  /** 404: the body is a problem, which says that there is nothing. */
  readonly status: 200 | 404;
  readonly body: Body;
  readonly byteLength: number;
  /** Weak, because it is the same for every content encoding of the body. */
  readonly etag: string;
  /** It misses no commit that was acknowledged before this time, by `performance.now()`. */
  readonly asOfMs: number;
  /** How often in a row it was made again soon after the last time. */
  readonly remakes: number;
  // Undefined rather than infinite: V8 would allocate an object for the number.
  /** When it changes with time alone, or a value in it gets too old that changes unnoticed, in the database's milliseconds; undefined for never. */
  readonly validUntilMs: number | undefined;
  /** When it changes with time alone; the time of its reading while that is not known; undefined for never. */
  readonly changesMs: number | undefined;
  /** When something that it shows ends: from then on it is not given during an outage either. */
  readonly staleUntilMs: number;
  /** Whether each request gets a body of its own, which no cache outside may keep. */
  readonly takesLate: boolean;
  /** Their texts are in the body: they are taken, and put there, whenever the response is given. */
  readonly late: readonly LateValue[];
  encoded: { gzip?: Buffer; br?: Buffer } | undefined;
}

/** One character for each byte where Node then sends head and body in one write: docs/fast-path.md. */
export type Body = string | Buffer;

/** Smaller bodies are never compressed: it would save less than a packet. */
export const MIN_ENCODED_BYTES = 1024;

const MAX_STRING_BYTES = 4_096;

/** @returns a body in the form in which it is sent and kept, so that it is turned into bytes once at most */
export const toBody = (text: string): Pick<CachedResponse, 'body' | 'byteLength' | 'etag'> => {
  const byteLength = Buffer.byteLength(text);
  if (byteLength > MAX_STRING_BYTES) {
    // `allocUnsafeSlow`, because a buffer out of Node's pool would keep its whole block of 64 kB in memory.
    const bytes = Buffer.allocUnsafeSlow(byteLength);
    bytes.write(text);
    return { body: bytes, byteLength, etag: etagOf(bytes) };
  }
  const bytes = Buffer.from(text);
  // Most texts are ASCII, whose characters are their bytes.
  const body = byteLength === text.length ? text : bytes.toString('latin1');
  return { body, byteLength, etag: etagOf(bytes) };
};

const etagOf = (bytes: Buffer): string => `W/"${digestOf(bytes)}"`;

/** One character for each byte. */
export const latin1Of = (body: Body): string => (typeof body === 'string' ? body : body.toString('latin1'));

export const bytesOf = (body: Body): Buffer => (typeof body === 'string' ? Buffer.from(body, 'latin1') : body);

/** A copy to keep: the bytes that zlib returns are part of a larger block, which would stay in memory. */
export const ownBytesOf = (bytes: Buffer): Buffer => Buffer.from(new Uint8Array(bytes).buffer);

const { h64Raw } = await xxhash();

/** XXH64 (https://xxhash.com) of a text or of bytes. It is not cryptographic: contents can be made to collide. */
export const digestOf = (content: string | Buffer): string =>
  h64Raw(typeof content === 'string' ? Buffer.from(content) : content).toString(36);
