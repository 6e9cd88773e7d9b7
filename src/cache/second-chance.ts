import type { LRUCache } from 'lru-cache';

/** What is found without a touch of its list sets a flag instead, which costs nothing. */
export interface Used {
  /** Whether it was found since its list last looked. */
  isUsed: boolean;
}

/** At most this many used entries are spared when room is made for one. */
const MAX_SECOND_CHANCES = 32;

/**
 * Makes room by second chance (the CLOCK algorithm): the oldest entries are removed, but one whose flag says that it was used is moved to the front instead.
 * @param size of what is to be set next
 */
export const makeRoom = <Entry extends Used>(list: LRUCache<string, Entry>, size: number): void => {
  let chances = size > list.maxEntrySize ? 0 : MAX_SECOND_CHANCES;
  while (chances > 0 && list.calculatedSize + size > list.maxSize) {
    const [key = ''] = list.rkeys();
    const entry = list.peek(key);
    if (!entry) break;
    if (!entry.isUsed) list.delete(key);
    else {
      entry.isUsed = false;
      list.get(key);
      chances -= 1;
    }
  }
};
