import { numberOf } from '../fast-path/short-lived.ts';

/** What was seen lately, by keys of which only numbers are kept: the garbage collector has nothing to do for what comes once and never again. */
export interface Sightings {
  /**
   * Notes a key. Two keys may be taken for one, and one may be forgotten for another: it must only cost time.
   * @param bytes that what the key stands for would take
   * @returns whether the key was seen within the last so many bytes
   */
  readonly see: (key: string, bytes?: number) => boolean;
}

const PLACES = 16_384;

/** @param windowBytes after so many a key counts as never seen. @default no bound but the number of places */
export const createSightings = (windowBytes = Number.POSITIVE_INFINITY): Sightings => {
  const numbers = new Uint32Array(PLACES);
  const seenAt = new Float64Array(PLACES);
  /** Of all that was ever seen. */
  let totalBytes = 0;
  return {
    see: (key, bytes = 0) => {
      const number = numberOf(key);
      const place = number % PLACES;
      const isKnown = numbers[place] === number && totalBytes - (seenAt[place] as number) <= windowBytes;
      totalBytes += bytes;
      numbers[place] = number;
      seenAt[place] = totalBytes;
      return isKnown;
    },
  };
};
