import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Tag } from './tags.ts';

/** Answers by their keys, bounded in bytes; which are still true is the caller's business. */
export interface ResponseStore {
  readonly get: (key: string) => CachedResponse | undefined;
  readonly set: (key: string, answer: CachedResponse) => void;
  readonly size: () => { bytes: number; entries: number };
}

/** What an entry takes beside its bytes: objects, a buffer's header, places in two maps. */
const ENTRY_OVERHEAD_BYTES = 700;

/** Smaller bodies are never compressed: it would save less than a packet. */
export const MIN_ENCODED_BYTES = 1024;

const NEWCOMERS_SHARE = 0.25;
const LARGEST_SHARE = 0.125;

/**
 * Two lists of the least recently used. Once memory is full, a new answer has to be asked for again before it competes with proven ones:
 * one-off requests then only push out each other. A use through its entry is noted in the response, and counts when room is made.
 * @param maxBytes 0 keeps nothing
 */
export const createResponseStore = (maxBytes: number): ResponseStore => {
  const proven = createLru(maxBytes, 1 - NEWCOMERS_SHARE);
  const newcomers = createLru(maxBytes, NEWCOMERS_SHARE);
  if (!proven || !newcomers) return NOTHING;
  return {
    get: (key) => {
      const known = proven.get(key);
      if (known) return known;
      const newcomer = newcomers.get(key);
      if (newcomer) {
        newcomers.delete(key);
        keep(proven, key, newcomer);
      }
      return newcomer;
    },
    set: (key, answer) => {
      const hasRoom = proven.calculatedSize + sizeOf(answer, key) <= proven.maxSize;
      keep(hasRoom || proven.has(key) ? proven : newcomers, key, answer);
    },
    size: () => ({ bytes: proven.calculatedSize + newcomers.calculatedSize, entries: proven.size + newcomers.size }),
  };
};

const NOTHING: ResponseStore = {
  get: () => undefined,
  set: () => {},
  size: () => ({ bytes: 0, entries: 0 }),
};

// Twice what can be coded: the coded forms come later, and together are seldom more than the body.
const sizeOf = ({ byteLength }: CachedResponse, key: string): number =>
  byteLength * (byteLength < MIN_ENCODED_BYTES ? 1 : 2) + key.length * 2 + ENTRY_OVERHEAD_BYTES;

/** So many that were used since they were last looked at are passed over for one that comes in. */
const MAX_SECOND_CHANCES = 32;

/** Makes room as a clock does: those that were used by their place, which the list has not been told of, have a second chance. */
const keep = (list: LRUCache<string, CachedResponse>, key: string, answer: CachedResponse): void => {
  const size = sizeOf(answer, key);
  let chances = size > list.maxEntrySize ? 0 : MAX_SECOND_CHANCES;
  while (chances > 0 && list.calculatedSize + size > list.maxSize) {
    const [oldest] = list.rvalues();
    if (!oldest) break;
    if (!oldest.isUsed) list.delete(oldest.key);
    else {
      oldest.isUsed = false;
      list.get(oldest.key);
      chances -= 1;
    }
  }
  list.set(key, answer);
  if (list.has(key)) answer.entry.response = answer;
};

const createLru = (maxBytes: number, share: number): LRUCache<string, CachedResponse> | undefined =>
  maxBytes > 0
    ? new LRUCache({
        maxSize: Math.floor(maxBytes * share),
        maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
        sizeCalculation: sizeOf,
        dispose: ({ entry }) => {
          entry.response = undefined;
        },
      })
    : undefined;

/** Where the response of a key is kept. A response that is made again takes the place of the last one; an evicted one leaves the entry empty. */
export interface CacheEntry {
  response: CachedResponse | undefined;
}

/** The finished bytes of an answer, and how long they hold. */
export interface CachedResponse {
  /** Under which it is found. */
  readonly key: string;
  readonly entry: CacheEntry;
  /** Whether it was found through its entry since the store last looked. */
  isUsed: boolean;
  readonly body: Body;
  readonly byteLength: number;
  /** Weak, because it stands for every content coding of the body. */
  readonly etag: string;
  /** What it rests on. */
  readonly tags: readonly Tag[];
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
  /** Whether it is answered to each request as its own, never to be kept by a cache. */
  readonly countsViews: boolean;
  /** Notices: a view of each is counted whenever the answer is given, and its number put into the body. */
  readonly views: readonly number[];
  /** The body in content codings, made once it is asked for often enough. */
  readonly encoded: { gzip?: Buffer; br?: Buffer };
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
