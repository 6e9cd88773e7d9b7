import type { LRUCache } from 'lru-cache';
import { FilteredCache } from '../fast-path/filtered-cache.ts';
import { type CachedResponse, MIN_ENCODED_BYTES, shareBody } from './cached-response.ts';
import { createNewcomers } from './newcomers.ts';
import { makeRoom } from './second-chance.ts';
import { createSightings } from './sightings.ts';

/** Responses by their keys, bounded in bytes. Whether they are still true, the caller decides. */
export interface ResponseStore {
  readonly get: (key: string) => CachedResponse | undefined;
  readonly set: (key: string, response: CachedResponse) => void;
  readonly size: () => { bytes: number; entries: number };
}

/** What an entry takes beside its bytes: objects, the header of a buffer, and its part of two maps. */
const ENTRY_OVERHEAD_BYTES = 700;

const NEWCOMERS_SHARE = 0.25;
const LARGEST_SHARE = 0.125;

/**
 * An LRU list, and beside it a queue. Once memory is full, a new response has to be requested again before it competes with proven ones, so that one-off
 * requests evict only each other. Until then it is outside of V8's heap (docs/fast-path.md). A hit by its entry only sets a flag of the response, which
 * counts when room is made.
 * @param maxBytes 0 keeps nothing
 */
export const createResponseStore = (maxBytes: number): ResponseStore => {
  if (maxBytes === 0) return createEmptyStore();
  const maxEntrySize = Math.floor(maxBytes * LARGEST_SHARE);
  const proven = new FilteredCache<CachedResponse>({
    maxSize: Math.floor(maxBytes * (1 - NEWCOMERS_SHARE)),
    maxEntrySize,
    sizeCalculation: sizeOf,
    dispose: ({ entry }) => {
      entry.response = undefined;
    },
  });
  const newcomers = createNewcomers(Math.floor(maxBytes * NEWCOMERS_SHARE));

  return {
    get: (key) => {
      const known = proven.get(key);
      if (known) return known;
      const newcomer = newcomers.take(key);
      if (newcomer) keep(proven, key, newcomer);
      return newcomer;
    },
    set: (key, response) => {
      const size = sizeOf(response, key);
      if (size > maxEntrySize) return;
      const isProven = response.entry.response !== undefined;
      if (isProven || proven.calculatedSize + size <= proven.maxSize) keep(proven, key, response);
      else {
        response.isNewcomer = true;
        newcomers.add(response);
      }
    },
    size: () => {
      const { bytes, entries } = newcomers.size();
      return { bytes: proven.calculatedSize + bytes, entries: proven.size + entries };
    },
  };
};

/** Keeps nothing, but knows what is requested again. */
const createEmptyStore = (): ResponseStore => {
  const sightings = createSightings();
  return {
    get: () => undefined,
    set: (key, response) => {
      response.isNewcomer = !sightings.see(key);
    },
    size: () => ({ bytes: 0, entries: 0 }),
  };
};

// A body that can be compressed counts twice: its encodings come later, and together are seldom larger than the body.
const sizeOf = ({ byteLength }: CachedResponse, key: string): number =>
  byteLength * (byteLength < MIN_ENCODED_BYTES ? 1 : 2) + key.length * 2 + ENTRY_OVERHEAD_BYTES;

const keep = (list: LRUCache<string, CachedResponse>, key: string, response: CachedResponse): void => {
  makeRoom(list, sizeOf(response, key));
  list.set(key, response);
  if (!list.has(key)) return;
  shareBody(response);
  response.entry.response = response;
};
