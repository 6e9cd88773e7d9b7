import { expect, test } from 'vitest';
import { CacheHints, type ReadPart } from '../../src/cache/hints.ts';
import { createTags, type ListBeginning, type ListVersion } from '../../src/cache/tags.ts';
import { FEATURES } from '../../src/features.ts';
import { trueList } from '../support/true-list.ts';

const [first, second] = [trueList(), trueList()];

const partOf = (lists: readonly ListBeginning[]): ReadPart => ({
  tags: [],
  lists,
  tables: [],
  trueAt: 0,
  changesMs: Number.POSITIVE_INFINITY,
  endsMs: Number.POSITIVE_INFINITY,
});

const PART = partOf([
  { list: first, places: 3 },
  { list: second, places: 5 },
]);

test.for<[string, (hints: CacheHints) => void, readonly (readonly [ListVersion, number])[]]>([
  ['none shows no list', () => {}, []],
  [
    'one part shows its lists',
    (hints) => hints.include(PART),
    [
      [first, 3],
      [second, 5],
    ],
  ],
  [
    'parts of the same lists shows the most places of each',
    (hints) => {
      hints.include(PART);
      hints.include(partOf([{ list: first, places: 4 }]));
      hints.include(partOf([{ list: second, places: 1 }]));
    },
    [
      [first, 4],
      [second, 5],
    ],
  ],
  [
    'a list and a part shows both',
    (hints) => {
      hints.dependsOnList('product', first, 9);
      hints.include(PART);
    },
    [
      [first, 9],
      [second, 5],
    ],
  ],
  [
    'a part and a list shows both',
    (hints) => {
      hints.include(partOf([{ list: second, places: 5 }]));
      hints.dependsOnList('product', first, 2);
    },
    [
      [second, 5],
      [first, 2],
    ],
  ],
])('a response of %s', ([, describe, lists]) => {
  const hints = new CacheHints(createTags(FEATURES));
  describe(hints);
  expect(hints.lists).toEqual(lists.map(([list, places]) => ({ list, places })));
  // The part is another response's too.
  expect(PART.lists).toEqual([
    { list: first, places: 3 },
    { list: second, places: 5 },
  ]);
});
