import { numberOf } from '../fast-path/short-lived.ts';
import { type CachedResponse, etagOf, latin1Of } from './cached-response.ts';
import { type ListBeginning, NO_LISTS } from './tags.ts';

/**
 * Responses that nobody has asked for again, as bytes outside of V8's heap, where the garbage collector has nothing to copy. What is added
 * overwrites the oldest.
 */
export interface Newcomers {
  readonly add: (response: CachedResponse) => void;
  /** The response of a key, which is kept no longer. One that is forgotten before its time must only cost time. */
  readonly take: (key: string) => CachedResponse | undefined;
  readonly size: () => { bytes: number; entries: number };
}

const WORD_BYTES = 8;
const CHARS_PER_WORD = 4;

/** Each response begins with its own size in words, the number of its key, and the lengths of its parts: facts, key, body. */
const HEAD_WORDS = 5;

/** There is a place for so many bytes: of responses of 1 kB, one in ten has lost its place to another before it is overwritten. */
const BYTES_PER_PLACE = 256;

export const createNewcomers = (maxBytes: number): Newcomers => {
  const capacity = Math.floor(maxBytes / WORD_BYTES);
  // The system gives it memory only as it is written.
  const bytes = Buffer.allocUnsafeSlow(capacity * WORD_BYTES);
  const words = new Float64Array(bytes.buffer);
  const chars = new Uint16Array(bytes.buffer);
  const places = 2 ** Math.ceil(Math.log2(maxBytes / BYTES_PER_PLACE));
  /** Where the response of a place begins, counted from 1; 0 for none. */
  const starts = new Uint32Array(places);
  const lists = Array.from<readonly ListBeginning[] | undefined>({ length: places });
  let entries = 0;
  // Words of all that was ever added: where the oldest that is left begins, and where the latest ends.
  let oldest = 0;
  let end = 0;

  const placeOf = (number: number): number => number & (places - 1);

  const forget = (place: number): void => {
    if (starts[place] === 0) return;
    starts[place] = 0;
    lists[place] = undefined;
    entries -= 1;
  };

  const forgetUntil = (until: number): void => {
    while (oldest < until) {
      const start = oldest % capacity;
      const size = words[start] ?? 0;
      const place = placeOf(words[start + 1] ?? 0);
      if (size > 0 && starts[place] === start + 1) forget(place);
      oldest += Math.abs(size);
    }
  };

  /** @returns where so many words in one piece begin */
  const makeRoom = (size: number): number => {
    const left = capacity - (end % capacity);
    const gap = size > left ? left : 0;
    forgetUntil(end + gap + size - capacity);
    // A gap has its size too, below zero.
    if (gap > 0) words[end % capacity] = -gap;
    end += gap + size;
    return (end - size) % capacity;
  };

  return {
    add: (response) => {
      const { key, byteLength } = response;
      const facts = factsOf(response);
      const size = HEAD_WORDS + facts.length + Math.ceil((key.length * 2 + byteLength) / WORD_BYTES);
      if (size > capacity / 2) return;
      const number = numberOf(key);
      const start = makeRoom(size);
      let at = start;
      for (const word of [size, number, facts.length, key.length, byteLength]) words[at++] = word;
      for (const fact of facts) words[at++] = fact;
      const keyAt = at * CHARS_PER_WORD;
      for (let index = 0; index < key.length; index += 1) chars[keyAt + index] = key.charCodeAt(index);
      bytes.write(latin1Of(response.body), (keyAt + key.length) * 2, 'latin1');
      const place = placeOf(number);
      forget(place);
      starts[place] = start + 1;
      if (response.lists?.length) lists[place] = response.lists;
      entries += 1;
    },
    take: (key) => {
      const number = numberOf(key);
      const place = placeOf(number);
      const start = (starts[place] ?? 0) - 1;
      if (start < 0 || words[start + 1] !== number) return undefined;
      const [, , factCount = 0, keyChars = 0, byteLength = 0] = words.subarray(start, start + HEAD_WORDS);
      const factsAt = start + HEAD_WORDS;
      const keyAt = (factsAt + factCount) * WORD_BYTES;
      const bodyAt = keyAt + keyChars * 2;
      if (bytes.toString('ucs2', keyAt, bodyAt) !== key) return undefined;
      const body = bytes.subarray(bodyAt, bodyAt + byteLength);
      const response: CachedResponse = {
        key,
        entry: { response: undefined },
        isNewcomer: false,
        isUsed: false,
        body: body.toString('latin1'),
        byteLength,
        etag: etagOf(body),
        lists: lists[place] ?? NO_LISTS,
        ...readFacts([...words.subarray(factsAt, factsAt + factCount)]),
        encoded: undefined,
      };
      forget(place);
      return response;
    },
    size: () => ({ bytes: (end - oldest) * WORD_BYTES, entries }),
  };
};

/** All that a response says of itself in numbers. */
const factsOf = (response: CachedResponse): number[] => [
  response.status,
  response.asOfMs,
  response.remakes,
  response.trueAt,
  response.validUntilMs ?? Number.NaN,
  response.changesMs ?? Number.NaN,
  response.trustedUntilMs ?? Number.NaN,
  response.staleUntilMs,
  Number(response.countsViews),
  response.views.length,
  ...response.views,
  ...response.tags,
];

const readFacts = ([
  status = 0,
  asOfMs = 0,
  remakes = 0,
  trueAt = 0,
  validUntilMs = 0,
  changesMs = 0,
  trustedUntilMs = 0,
  staleUntilMs = 0,
  countsViews = 0,
  viewCount = 0,
  ...ids
]: readonly number[]) => ({
  status: status as CachedResponse['status'],
  asOfMs,
  remakes,
  trueAt,
  validUntilMs: numberOrNone(validUntilMs),
  changesMs: numberOrNone(changesMs),
  trustedUntilMs: numberOrNone(trustedUntilMs),
  staleUntilMs,
  countsViews: countsViews === 1,
  views: ids.slice(0, viewCount),
  tags: ids.slice(viewCount),
});

const numberOrNone = (number: number): number | undefined => (Number.isNaN(number) ? undefined : number);
