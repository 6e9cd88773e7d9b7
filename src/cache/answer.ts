import { hash } from 'node:crypto';
import type { Part } from './changes.ts';

/** Where an answer is kept, for those who have found it once. It is left empty when the answer has to go. */
export interface Place {
  answer: Answer | undefined;
}

/** The finished bytes of an answer, and how long they hold. */
export interface Answer {
  /** Under which it is found. */
  readonly key: string;
  readonly place: Place;
  /** Whether it was given to somebody who knew its place since the store last asked. */
  isUsed: boolean;
  readonly body: Body;
  readonly byteLength: number;
  /** Weak, because it stands for every content coding of the body. */
  readonly etag: string;
  /** What it rests on. */
  readonly parts: readonly Part[];
  /** It misses no commit that was acknowledged before this moment, by `performance.now()`. */
  readonly asOfMs: number;
  /** How often it has been made anew, each time soon after the last. */
  readonly remakes: number;
  /** The number of the change up to which none is known to have touched them. */
  trueAt: number;
  // Not infinite: V8 would make an object of it, which would be one more to look at for every answer.
  /** When it stops being true by itself, in the database's milliseconds; undefined for never. */
  readonly validUntilMs: number | undefined;
  /** Until when it may be given without looking whether it changed, by `performance.now()`; undefined where changes are told. */
  readonly trustedUntilMs: number | undefined;
  /** When it begins to show what is over: from then on it is not even given while the database is away. */
  readonly staleUntilMs: number;
  /** Notices: a view of each is counted whenever the answer is given, and its number put into the body. */
  readonly views: readonly number[];
  /** The body in content codings, made once it is asked for often enough. */
  readonly coded: { gzip?: Buffer; br?: Buffer };
}

/**
 * Bytes. Few of them are kept as a string of one character each (`latin1`): Node sends a string in one piece with the header and a
 * buffer in two, and to copy is cheaper than the second piece (measured: by 1.5 µs of 14 at 1 kB; at 22 kB it costs 2 of 20).
 */
export type Body = string | Buffer;

/** With its head, what Node's streams write at once from their stack: 16,384 bytes. */
const MAX_STRING_BYTES = 15_600;

export const toBody = (text: string): { body: Body; byteLength: number; etag: string } => {
  const byteLength = Buffer.byteLength(text);
  // Strong enough to tell answers apart; nobody gains by making two that collide.
  const etag = `W/"${hash('sha1', text, 'base64url')}"`;
  if (byteLength > MAX_STRING_BYTES) return { body: Buffer.from(text), byteLength, etag };
  // Most texts are ASCII, whose characters are their bytes.
  return { body: byteLength === text.length ? text : Buffer.from(text).toString('latin1'), byteLength, etag };
};

/** One character for each byte. */
export const latin1Of = (body: Body): string => (typeof body === 'string' ? body : body.toString('latin1'));

export const bytesOf = (body: Body): Buffer => (typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
