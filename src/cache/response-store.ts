import { LRUCache } from 'lru-cache';
import { type CachedResponse, MIN_ENCODED_BYTES } from './cached-response.ts';

/** The memory that an entry takes beside its bytes: objects, the header of a buffer, and its part of two maps. */
const ENTRY_OVERHEAD_BYTES = 700;

const NEWCOMERS_SHARE = 0.25;
const LARGEST_SHARE = 0.125;

/**
 * A segmented LRU list (https://en.wikipedia.org/wiki/Cache_replacement_policies#Segmented_LRU_(SLRU)): once memory is full, a response
 * is a newcomer until it is requested again, so that one-off requests evict only each other. Of requests by a long tail (as bench:cache has
 * them) 47 % came from memory where a plain LRU list had 39 %, and 46 in place of 36 % beside a crawler.
 * @param maxBytes 0 keeps nothing
 */
export const createResponseStore = (maxBytes: number) => {
  const listOf = (maxSize: number) =>
    new LRUCache<string, CachedResponse>({
      // LRUCache takes no 0. Every entry is larger than 1, so nothing is kept then.
      maxSize: Math.max(1, maxSize),
      maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
      sizeCalculation: sizeOf,
      dispose: ({ entry }) => {
        entry.response = undefined;
      },
    });
  const newcomers = listOf(Math.floor(maxBytes * NEWCOMERS_SHARE));
  const proven = listOf(Math.floor(maxBytes * (1 - NEWCOMERS_SHARE)));

  const keep = (list: typeof proven, response: CachedResponse): void => {
    list.set(response.key, response);
    if (list.has(response.key)) response.entry.response = response;
  };

  return {
    get: (key: string): CachedResponse | undefined => {
      const found = proven.get(key);
      if (found) return found;
      const newcomer = newcomers.peek(key);
      if (newcomer) {
        newcomers.delete(key);
        keep(proven, newcomer);
      }
      return newcomer;
    },
    set: (key: string, response: CachedResponse): void => {
      const hasRoom = proven.calculatedSize + sizeOf(response, key) <= proven.maxSize;
      keep(hasRoom || proven.has(key) ? proven : newcomers, response);
    },
    size: (): { bytes: number; entries: number } => ({
      bytes: newcomers.calculatedSize + proven.calculatedSize,
      entries: newcomers.size + proven.size,
    }),
  };
};

// A body that can be compressed counts twice, because its encodings are added later: together they are seldom larger than the body.
const sizeOf = ({ byteLength }: CachedResponse, key: string): number =>
  byteLength * (byteLength < MIN_ENCODED_BYTES ? 1 : 2) + key.length * 2 + ENTRY_OVERHEAD_BYTES;
