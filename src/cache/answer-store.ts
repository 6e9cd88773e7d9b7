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
 * one-off requests then only push out each other. To be given by its place is noted in the answer, and counts when room is made.
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

const NOTHING: AnswerStore = {
  get: () => undefined,
  set: () => {},
  size: () => ({ bytes: 0, entries: 0 }),
};

// Twice what can be coded: the coded forms come later, and together are seldom more than the body.
const sizeOf = ({ byteLength }: Answer, key: string): number =>
  byteLength * (byteLength < MIN_CODED_BYTES ? 1 : 2) + key.length * 2 + ENTRY_OVERHEAD_BYTES;

/** So many that were used since they were last looked at are passed over for one that comes in. */
const MAX_SECOND_CHANCES = 32;

/** Makes room as a clock does: those that were used by their place, which the list has not been told of, have a second chance. */
const keep = (list: LRUCache<string, Answer>, key: string, answer: Answer): void => {
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
  if (list.has(key)) answer.place.answer = answer;
};

const createLru = (maxBytes: number, share: number): LRUCache<string, Answer> | undefined =>
  maxBytes > 0
    ? new LRUCache({
        maxSize: Math.floor(maxBytes * share),
        maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
        sizeCalculation: sizeOf,
        dispose: ({ place }) => {
          place.answer = undefined;
        },
      })
    : undefined;
