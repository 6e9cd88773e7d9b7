import { expect, test } from 'vitest';
import xxhash from 'xxhash-wasm';
import { bytesOf, type CachedResponse, latin1Of, toBody } from '../../src/cache/cached-response.ts';
import { createResponseStore } from '../../src/cache/response-store.ts';

const MAX_BYTES = 1_048_576;

const { h64Raw } = await xxhash();

const responseOf = (key: string, chars: number): CachedResponse => ({
  key,
  entry: { response: undefined },
  status: 200,
  ...toBody(`${key} ${'é'.repeat(chars / 2)}`),
  tags: [],
  asOfMs: 0,
  remakes: 0,
  trueAt: 0,
  validUntilMs: undefined,
  changesMs: undefined,
  staleUntilMs: Number.POSITIVE_INFINITY,
  takesLate: false,
  late: [],
  encoded: {},
});

test.for([100, 2000, 30_000])(
  'once memory is full, the latest responses of %i characters are given as they were, and older ones are forgotten',
  (chars) => {
    const store = createResponseStore(MAX_BYTES);
    const bodies = new Map<string, string>();
    let number = 0;
    const add = (): void => {
      number += 1;
      const response = responseOf(`key ${number}`, chars);
      bodies.set(response.key, latin1Of(response.body));
      store.set(response.key, response);
    };
    for (let bytes = 0; bytes < MAX_BYTES * 5; bytes += chars * 2 + 700) add();
    // Some are asked for again, while more come.
    let found = 0;
    for (let round = 0; round < 200; round += 1) {
      const key = `key ${number - (round % 7)}`;
      const response = store.get(key);
      if (response) {
        found += 1;
        expect(latin1Of(response.body)).toBe(bodies.get(key));
        expect(response.entry.response).toBe(response);
      }
      add();
    }
    expect(found).toBe(200);
    expect(store.get(`key ${Math.floor(number * 0.8)}`)).toBeUndefined();
    expect(store.size().bytes).toBeLessThanOrEqual(MAX_BYTES);
  },
);

test.for([
  ['ASCII', 'a'],
  ['two bytes', 'é'],
  ['three bytes', '茶'],
  ['four bytes', '🍵'],
] as const)(
  'a body of characters of %s has the same bytes and tag by either way, whatever its length',
  ([, letter]) => {
    for (const count of [1, 1000, 2048, 4095, 4096, 5000, 16_384, 32_768, 40_000, 131_072, 131_073]) {
      const text = letter.repeat(count);
      const { body, byteLength, etag } = toBody(text);
      expect(bytesOf(body).equals(Buffer.from(text))).toBe(true);
      expect(byteLength).toBe(Buffer.byteLength(text));
      expect(etag).toBe(`W/"${h64Raw(Buffer.from(text)).toString(36)}"`);
    }
  },
);
