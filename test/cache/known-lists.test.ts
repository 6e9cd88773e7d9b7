import { expect, test } from 'vitest';
import { createKnownLists, type KeptList, type KnownList } from '../../src/cache/known-lists.ts';
import { type Change, createTagVersions, type TaggedRead } from '../../src/cache/tags.ts';
import { FEATURES } from '../../src/features.ts';

interface Row {
  readonly id: number;
  readonly text: string;
}

interface List extends KnownList {
  readonly texts: readonly string[];
}

/** A list of rows 1 and 2, which are read when the test lets them. */
const setUp = () => {
  const tagVersions = createTagVersions(FEATURES);
  const { anyRow, group: tagOfGroup } = tagVersions.tags.of('product');
  const kept = new Map<string, KeptList<List>>();
  const reads: { readonly ids: readonly number[]; readonly end: (rows: readonly Row[] | Error) => void }[] = [];
  const lists = createKnownLists<List, Row>({
    table: 'product',
    source: {
      readRows: (ids) =>
        new Promise((resolve, reject) => {
          reads.push({ ids, end: (rows) => (rows instanceof Error ? reject(rows) : resolve([...rows])) });
        }),
      withRow: (list, id, row) => {
        if (row?.text === 'unplaceable') return undefined;
        const at = list.ids.indexOf(id);
        return at < 0 ? list : { ...list, texts: list.texts.with(at, row?.text ?? 'none') };
      },
      rowOf: ({ id, values }) => ({ id, text: values }),
    },
    store: {
      get: (name) => kept.get(name),
      set: (name, list) => kept.set(name, list).has(name),
      delete: (list) => void kept.delete(list.name),
    },
    sequence: () => tagVersions.sequence,
    tagOf: (group) => (group === undefined ? anyRow : tagOfGroup(group)),
    now: () => new Date(),
    nextChangeMs: () => Number.POSITIVE_INFINITY,
    asOfMs: () => performance.now(),
    freshnessMs: 60_000,
  });
  tagVersions.watch(lists.changed);
  const found = lists.begin('list', 3).keep({ ids: [1, 2], texts: ['a', 'b'] });
  if (!found) throw new Error('it is not kept');
  const { version } = found;
  /** A response that is made of the first places of the list now. */
  const respond = (places = 2): TaggedRead => ({
    tags: [],
    lists: [{ list: version, places }],
    trueAt: tagVersions.sequence,
  });
  const change = (ids: readonly number[], groupIds: readonly number[] = [3], values?: string): void => {
    const rows: Change['rows'] = { ids, groupIds, nextChangeMs: Number.POSITIVE_INFINITY };
    const [id = 0] = ids;
    const now = values === undefined ? {} : { now: { id, groupId: 3, values } };
    tagVersions.changed({ table: 'product', rows: { ...rows, ...now } });
  };
  const find = async () => (await lists.find('list', new Date()))?.list.texts;
  /** The statement of this number, once it is sent. */
  const readOf = async (number: number) => {
    await expect.poll(() => reads.length, { interval: 1 }).toBe(number);
    return reads[number - 1] as (typeof reads)[number];
  };
  const makeRoom = (): void => {
    kept.get('list')?.release();
    kept.delete('list');
  };
  return { tagVersions, lists, reads, respond, change, find, readOf, makeRoom };
};

test('a response of a list stays true where rows changed that are not in it, and is known to be so once they are read', async () => {
  const { tagVersions, reads, respond, change, find, readOf } = setUp();
  const response = respond();
  change([7]);
  change([8], [4]);
  expect(tagVersions.hasChanged(response)).toBe(true);
  expect(reads).toEqual([]);
  const finding = find();
  const read = await readOf(1);
  expect(read.ids).toEqual([7]);
  read.end([{ id: 7, text: 'c' }]);
  expect(await finding).toEqual(['a', 'b']);
  expect(tagVersions.hasChanged(response)).toBe(false);
});

test('a row that changes while it is read is read again, and who asked before is given what was read', async () => {
  const { tagVersions, respond, change, find, readOf } = setUp();
  const response = respond();
  change([1]);
  const { sequence } = tagVersions;
  const first = find();
  const early = await readOf(1);
  change([1]);
  const second = find();
  early.end([{ id: 1, text: 'old' }]);
  expect(await first).toEqual(['old', 'b']);
  expect(tagVersions.hasChanged(response, sequence), 'for who asked before').toBe(true);
  const late = await readOf(2);
  late.end([{ id: 1, text: 'new' }]);
  expect(await second).toEqual(['new', 'b']);
  expect(tagVersions.hasChanged(response)).toBe(true);
});

test('a response of the first places of a list stays true where only later ones are altered, and no longer', async () => {
  const { tagVersions, respond, change, find, readOf } = setUp();
  const responses = [1, 2, 3].map(respond);
  const changed = () => responses.map((response) => tagVersions.hasChanged(response));
  change([2]);
  expect(changed()).toEqual([true, true, true]);
  const finding = find();
  (await readOf(1)).end([{ id: 2, text: 'new' }]);
  expect(await finding).toEqual(['a', 'new']);
  expect(changed()).toEqual([false, true, true]);
  change([1]);
  const again = find();
  (await readOf(2)).end([{ id: 1, text: 'new' }]);
  await again;
  expect(changed()).toEqual([true, true, true]);
});

test('who asked before a change does not wait for it', async () => {
  const { tagVersions, respond, change, find, readOf } = setUp();
  const response = respond();
  change([7]);
  const { sequence } = tagVersions;
  const finding = find();
  const read = await readOf(1);
  change([8]);
  read.end([]);
  expect(await finding).toEqual(['a', 'b']);
  expect(tagVersions.hasChanged(response, sequence)).toBe(false);
  expect(tagVersions.hasChanged(response)).toBe(true);
});

test('a row whose notification says what it is now is in the list at once', async () => {
  const { tagVersions, reads, respond, change, find } = setUp();
  const [ofOne, ofTwo] = [respond(1), respond(2)];
  change([2], [3], 'new');
  change([7], [3], 'elsewhere');
  expect(await find()).toEqual(['a', 'new']);
  expect([ofOne, ofTwo].map((response) => tagVersions.hasChanged(response))).toEqual([false, true]);
  change([1]);
  change([1], [3], 'newer');
  expect(await find()).toEqual(['newer', 'new']);
  expect(tagVersions.hasChanged(ofOne)).toBe(true);
  expect(reads).toEqual([]);
});

test('what is read of a row does not hide what is notified of it meanwhile', async () => {
  const { change, find, readOf } = setUp();
  change([1]);
  change([2]);
  const finding = find();
  const read = await readOf(1);
  expect(read.ids).toEqual([1, 2]);
  change([1], [3], 'notified');
  read.end([
    { id: 1, text: 'read' },
    { id: 2, text: 'read' },
  ]);
  expect(await finding).toEqual(['notified', 'read']);
});

test.for([undefined, 'said'])(
  'rows that change while a list is read are read again, notified with %s',
  async (values) => {
    const { lists, change, readOf } = setUp();
    const reading = lists.begin('other', undefined);
    change([2], [3], values);
    reading.keep({ ids: [2], texts: ['b'] });
    const finding = lists.find('other', new Date());
    (await readOf(1)).end([{ id: 2, text: 'new' }]);
    expect((await finding)?.list.texts).toEqual(['new']);
  },
);

test.for<[string, (given: ReturnType<typeof setUp>) => void]>([
  ['any row may have changed', ({ tagVersions }) => tagVersions.changed({ table: 'product' })],
  [
    'more rows changed than are worth reading',
    ({ change }) => {
      for (let id = 10; id < 111; id += 1) change([id]);
    },
  ],
  ['a statement changed as many', ({ change }) => change(Array.from({ length: 101 }, (_, index) => 10 + index))],
])('a list is forgotten, with what rests on it, where %s', async ([, happens]) => {
  const given = setUp();
  const response = given.respond();
  happens(given);
  given.change([9], [4]);
  expect(await given.find()).toBeUndefined();
  expect(given.tagVersions.hasChanged(response)).toBe(true);
  expect(given.reads).toEqual([]);
});

test('a list is forgotten where its rows cannot be read', async () => {
  const { change, find, readOf } = setUp();
  change([1]);
  const finding = find();
  (await readOf(1)).end(new Error('the database is away'));
  expect(await finding).toBeUndefined();
  expect(await find()).toBeUndefined();
});

test('a list is forgotten where only the database knows the place of a row that was notified', async () => {
  const { tagVersions, respond, change, find } = setUp();
  const response = respond();
  change([1], [3], 'unplaceable');
  expect(tagVersions.hasChanged(response)).toBe(true);
  expect(await find()).toBeUndefined();
});

test('in a flood of changes rows are read once within the bound, and what is given meanwhile is no older', async () => {
  const { tagVersions, respond, change, find, readOf } = setUp();
  const response = respond();
  const isEnough = (): boolean | undefined => response.lists?.every(({ list }) => list.isEnough(tagVersions.sequence));
  for (let read = 1; read <= 6; read += 1) {
    change([7]);
    expect(isEnough(), `before read ${read}`).toBe(read === 6);
    const finding = find();
    (await readOf(read)).end([]);
    await finding;
  }
  change([1]);
  expect(isEnough()).toBe(true);
  expect(tagVersions.hasChanged(response)).toBe(true);
});

test('what rests on a list that had to make room stays true until a row of its group changes', () => {
  const { tagVersions, respond, change, makeRoom } = setUp();
  const response = respond();
  makeRoom();
  expect(tagVersions.hasChanged(response)).toBe(false);
  change([9], [4]);
  expect(tagVersions.hasChanged(response)).toBe(false);
  change([9]);
  expect(tagVersions.hasChanged(response)).toBe(true);
});

test('a list whose rows have changed makes room with all that rests on it', () => {
  const { tagVersions, respond, change, makeRoom } = setUp();
  const response = respond();
  change([1]);
  makeRoom();
  expect(tagVersions.hasChanged(response)).toBe(true);
});
