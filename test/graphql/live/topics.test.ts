import { beforeEach, expect, test } from 'vitest';
import type { CachedResponse } from '../../../src/cache/cached-response.ts';
import type { Found } from '../../../src/cache/response-cache.ts';
import { TagVersions } from '../../../src/cache/tags.ts';
import { createClock } from '../../../src/database/clock.ts';
import { ChangeFeed } from '../../../src/graphql/live/change-feed.ts';
import { EventSequence } from '../../../src/graphql/live/event-sequence.ts';
import { type ChangeSource, Topics } from '../../../src/graphql/live/topics.ts';

let tagVersions: TagVersions;
let source: ChangeSource;
let told: number;
let ends: string[];

beforeEach(() => {
  tagVersions = new TagVersions([{ table: 'product' }]);
  const freshnessMonitor = { plan: async () => true, watchTime: () => () => {} };
  source = { tagVersions, freshnessMonitor: freshnessMonitor as never, freshnessMs: 0, clock: createClock() };
  told = 0;
  ends = [];
});

const createListener = () =>
  new EventSequence({
    toErrors: (error) => [error as never],
    onEvent: () => {
      told += 1;
    },
    onEnd: (_, reason) => void ends.push(reason),
  });

const changeProduct = (id: number): void =>
  tagVersions.changed({ table: 'product', rows: { ids: [id], groupIds: [], nextChangeMs: Number.POSITIVE_INFINITY } });

/** A response that is true up to the last change. */
const responseOf = (etag: string, asOfMs: number): Found => {
  const response = { key: 'key', etag, asOfMs, tags: [0], trueAt: tagVersions.sequence };
  return { outcome: 'miss', response: response as unknown as CachedResponse };
};

const eventOf = ({ etag }: CachedResponse) => ({ result: { data: { etag } }, shown: etag });

test('what a new listener brings is not shown where it is older than what the others have', () => {
  const topics = new Topics({ ...source, onPublished: () => {} });
  const operation = { run: async () => responseOf('new', 2), eventOf };
  topics.join(operation, responseOf('new', 2), createListener());
  expect(topics.join(operation, responseOf('old', 1), createListener()).first().shown).toBe('new');
  expect(told).toBe(0);
});

test('listeners are told where no event can be made of a response', async () => {
  const topics = new Topics({ ...source, onPublished: () => {} });
  const operation = {
    run: async () => responseOf('second', 2),
    eventOf: (response: CachedResponse) => {
      if (response.etag === 'second') throw new Error('no event');
      return eventOf(response);
    },
  };
  const listener = createListener();
  listener.listenTo(topics.join(operation, responseOf('first', 1), listener));
  await listener.next();
  changeProduct(1);
  expect(await listener.next()).toMatchObject({ value: { errors: [{ message: 'no event' }] } });
  expect(ends).toEqual(['failure']);
});

test('a listener of the change feed that leaves while its event is made is not told', async () => {
  const feed = new ChangeFeed(source);
  let { promise: made, resolve: make } = Promise.withResolvers<void>();
  make();
  let runs = 0;
  const run = async (data: object) => {
    runs += 1;
    await made;
    return { data: { ...data } };
  };
  const listener = createListener();
  listener.listenTo((await feed.begin({ key: 'key', run }))(listener));
  await listener.next();
  void listener.next();
  ({ promise: made, resolve: make } = Promise.withResolvers<void>());
  changeProduct(1);
  await expect.poll(() => [feed.look(), runs]).toEqual([undefined, 3]);
  listener.end('client');
  make();
  await made;
  await new Promise(setImmediate);
  expect(told).toBe(1);
});

test('a listener of the change feed that has not heard of what is too much to keep hears of everything', async () => {
  const feed = new ChangeFeed(source);
  const listener = createListener();
  const run = async (data: object) => ({ data: { ...data } });
  listener.listenTo((await feed.begin({ key: 'key', run }))(listener));
  await listener.next();
  for (let id = 1; id <= 1001; id += 1) changeProduct(id);
  feed.look();
  const next = listener.next();
  await expect.poll(() => [feed.look(), told]).toEqual([undefined, 2]);
  expect((await next).value).toMatchObject({ data: { products: [], everything: true } });
});
