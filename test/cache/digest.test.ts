import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../src/cache/cached-response.ts';

/** Of the specification: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md */
const KNOWN: readonly (readonly [string, bigint])[] = [
  ['', 0xef46db3751d8e999n],
  ['a', 0xd24ec4f1a98c6e5bn],
  ['abc', 0x44bc2cf5ad770999n],
];

test.for(KNOWN)('the digest of "%s" is XXH64', ([text, number]) => {
  expect(digestOf(text)).toBe(number.toString(36));
});

test.for([4096, 4097, 393_216, 393_217, 1_000_000])(
  'a text of %i characters has the digest of its bytes, and one that differs anywhere another',
  (count) => {
    fc.assert(
      fc.property(fc.nat(count - 1), fc.constantFrom('a', 'é', '茶'), (at, letter) => {
        const text = letter.repeat(count);
        const other = `${text.slice(0, at)}b${text.slice(at + 1)}`;
        const digests = [text, other].map((each) => digestOf(each));
        expect([text, other].map((each) => digestOf(Buffer.from(each)))).toEqual(digests);
        expect(digests[0]).not.toBe(digests[1]);
      }),
      { numRuns: 10 },
    );
  },
);
