import { LRUCache } from 'lru-cache';
import type { Answer } from './answer.ts';

/** Answers by their keys, bounded in bytes; which are still true is the caller's business. */
export interface AnswerStore {
  readonly get: (key: string) => Answer | undefined;
  readonly set: (key: string, answer: Answer) => void;
  readonly size: () => { bytes: number; entries: number };
}

/** What an entry takes beside its bytes: objects, a buffer's header, places in two maps. */
const ENTRY_OVERHEAD_BYTES = 700;

/** Smaller bodies are never compressed: it would save less than a packet. */
export const MIN_CODED_BYTES = 1024;

const NEWCOMERS_SHARE = 0.25;
const LARGEST_SHARE = 0.125;

/**
 * Two lists of the least recently used. Once memory is full, a new answer has to be asked for again before it competes with proven ones:
 * one-off requests then only push out each other.
 * @param maxBytes 0 keeps nothing
 */
export const createAnswerStore = (maxBytes: number): AnswerStore => {
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
        proven.set(key, newcomer);
      }
      return newcomer;
    },
    set: (key, answer) => {
      const hasRoom = proven.calculatedSize + sizeOf(answer, key) <= proven.maxSize;
      (hasRoom || proven.has(key) ? proven : newcomers).set(key, answer);
    },
    size: () => ({ bytes: proven.calculatedSize + newcomers.calculatedSize, entries: proven.size + newcomers.size }),
  };
};

const NOTHING: AnswerStore = {
  get: () => undefined,
  set: () => {},
  size: () => ({ bytes: 0, entries: 0 }),
};

// Twice what can be coded: the coded forms come later, and together are seldom more than the body.
const sizeOf = ({ byteLength }: Answer, key: string): number =>
  byteLength * (byteLength < MIN_CODED_BYTES ? 1 : 2) + key.length * 2 + ENTRY_OVERHEAD_BYTES;

const createLru = (maxBytes: number, share: number): LRUCache<string, Answer> | undefined =>
  maxBytes > 0
    ? new LRUCache({
        maxSize: Math.floor(maxBytes * share),
        maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
        sizeCalculation: sizeOf,
      })
    : undefined;
