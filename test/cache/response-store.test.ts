import { expect, test } from 'vitest';
import { createBodyRing } from '../../src/cache/body-ring.ts';
import { type CachedResponse, createResponseStore, latin1Of, toBody } from '../../src/cache/response-store.ts';

const MAX_BYTES = 1_048_576;

const responseOf = (key: string, chars: number): CachedResponse => ({
  key,
  entry: { response: undefined },
  isFirst: true,
  isUsed: false,
  status: 200,
  ...toBody(`${key} ${'é'.repeat(chars / 2)}`),
  tags: [],
  asOfMs: 0,
  remakes: 0,
  trueAt: 0,
  validUntilMs: undefined,
  changesMs: undefined,
  trustedUntilMs: undefined,
  staleUntilMs: Number.POSITIVE_INFINITY,
  countsViews: false,
  views: [],
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

test('a body that was overwritten by later ones is not given', () => {
  const ring = createBodyRing(100);
  const at = ['a', 'b', 'c', 'd'].map((letter) => ring.write(letter.repeat(30)));
  // The fourth does not fit behind the third, and is where the first was.
  expect(at.map((place) => ring.read(place, 30)?.toString())).toEqual([
    undefined,
    'b'.repeat(30),
    'c'.repeat(30),
    'd'.repeat(30),
  ]);
});
