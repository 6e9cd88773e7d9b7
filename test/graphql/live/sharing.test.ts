import type { Plugin } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { openStream, type TestStream, untilShown } from '../../support/events.ts';
import { createTestGateway, handle, PATIENT, type TestGateway } from '../../support/gateway.ts';
import { nowS, startIssuer } from '../../support/issuer.ts';
import { insertCategory, insertNotice, insertProduct } from '../../support/rows.ts';
import { scrape } from '../../support/scrape.ts';
import { shared } from '../../support/shared.ts';
import { wireTo } from '../../support/wire.ts';

const database = await shared(createTestDatabase());
const id = await insertNotice(database, { title: 'First', view_count: 5 });

const NOTICES = 'subscription { notices { title } }';
const shows = (title: string) => ({ notices: [{ title }] });

const rename = (title: string) => database.sql('update notice set title = $1 where id = $2', [title, id]);

const open = (environment: Record<string, string> = {}): Promise<TestGateway> =>
  createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0', ...environment });

const leaveAll = (streams: readonly TestStream[]): void => {
  for (const stream of streams) stream.leave();
};

test('a hundred listeners take one execution at the start and one for a change', async () => {
  await rename('Before');
  await using gateway = await open();
  const streams: TestStream[] = [];
  const first = await gateway.countStatements(async () => {
    for (let count = 0; count < 100; count += 1) streams.push(await openStream(gateway, NOTICES));
  });
  // One more where the time of the next planned change was not known yet.
  expect([1, 2]).toContain(first);
  const change = await gateway.countStatements(async () => {
    await rename('After');
    for (const stream of streams) await untilShown(stream, shows('After'));
  });
  expect([1, 2]).toContain(change);
  for (const { results } of streams) expect(results).toHaveLength(2);
  leaveAll(streams);
});

test('an event is written once, and all listeners get the same bytes', async () => {
  await rename('Before');
  await using gateway = await open();
  const listen = async () => {
    const { stream } = await handle(gateway.app, {
      method: 'GET',
      target: `/graphql?${new URLSearchParams({ query: NOTICES })}`,
      headers: { accept: 'text/event-stream' },
    });
    const parts: Uint8Array[] = [];
    const leave = stream?.({ write: (bytes) => parts.push(bytes) > 0, hasUnread: () => false, end: () => {} });
    return { eventOf: (title: string) => parts.find((bytes) => Buffer.from(bytes).includes(title)), leave };
  };
  const [one, other] = [await listen(), await listen()];
  for (const title of ['Before', 'After']) {
    await rename(title);
    await expect.poll(() => one.eventOf(title) && other.eventOf(title)).toBeDefined();
    expect(one.eventOf(title)).toBe(other.eventOf(title));
  }
  for (const { leave } of [one, other]) leave?.();
});

describe('no event comes', () => {
  test('where a commit changes nothing that is shown', async () => {
    await using gateway = await open();
    await rename('Same');
    const streams = [
      await openStream(gateway, NOTICES),
      await openStream(gateway, 'subscription { notices { title content } }'),
    ];
    const [titles, contents] = streams as [TestStream, TestStream];
    await database.sql('update notice set title = title');
    await database.sql('update notice set content = $1', ['Another']);
    await untilShown(contents, { notices: [{ title: 'Same', content: 'Another' }] });
    await rename('Last');
    await untilShown(titles, shows('Last'));
    expect(titles.results).toHaveLength(2);
    leaveAll(streams);
  });

  test('where only views are counted; the next event, and a new listener, have their number', async () => {
    await using gateway = await open();
    const COUNTED = 'subscription { viewCount: notices { title: id name: title views: viewCount } }';
    await rename('Counted');
    const stream = await openStream(gateway, COUNTED);
    const [{ data } = {}] = stream.results;
    const [{ views }] = data.viewCount;
    expect((await gateway.graphql(`{ notice(id: ${id}) { viewCount } }`)).data.notice.viewCount).toBe(views + 1);
    const of = (name: string) => ({ viewCount: [{ title: id, name, views: views + 1 }] });
    // A change that makes it read again, and shows nothing else.
    await expect
      .poll(async () => {
        await database.sql('update notice set title = title');
        const other = await openStream(gateway, COUNTED);
        other.leave();
        return other.results[0]?.data;
      })
      .toEqual(of('Counted'));
    expect(stream.results).toHaveLength(1);
    await rename('Changed');
    await untilShown(stream, of('Changed'));
    expect(stream.results).toHaveLength(2);
    stream.leave();
  });

  test('for a value that has come back, to a reader that has not read the one between', async () => {
    let gate = Promise.resolve();
    let held = 0;
    const slow: Plugin = {
      onSubscribe: () => ({
        onSubscribeResult: () => ({
          onNext: () => {
            held += 1;
            return gate;
          },
        }),
      }),
    };
    await rename('First');
    await using behind = await createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' }, [slow]);
    const reader = await openStream(behind, NOTICES);
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    await rename('Held');
    await expect.poll(() => held).toBe(2);
    const published = async () => (await scrape(behind)).sum('vitrine_subscription_lag_seconds_count');
    for (const title of ['Between', 'Held']) {
      const before = await published();
      await rename(title);
      // The reader has been given it, though it has not read it.
      await expect.poll(published).toBe(before + 1);
    }
    gate = Promise.resolve();
    resolve();
    await rename('Last');
    await untilShown(reader, shows('Last'));
    expect(reader.results.map(({ data }) => data.notices[0].title)).toEqual(['First', 'Held', 'Last']);
    reader.leave();
  });

  test('for another product', async () => {
    await using gateway = await open();
    const category_id = await insertCategory(database);
    const [mug, cup] = [await insertProduct(database, { category_id }), await insertProduct(database, { category_id })];
    const PRODUCT = 'subscription($id: Int!) { product(id: $id) { name } }';
    const stream = await openStream(gateway, PRODUCT, { variables: { id: mug } });
    const other = await openStream(gateway, PRODUCT, { variables: { id: cup } });
    const statements = await gateway.countStatements(async () => {
      await database.sql('update product set name = $1 where id = $2', ['Cup', cup]);
      await untilShown(other, { product: { name: 'Cup' } });
    });
    expect(statements).toBe(1);
    expect(stream.results).toHaveLength(1);
    leaveAll([stream, other]);
  });
});

test('beyond MAX_SUBSCRIPTIONS a subscription gets a 503, until another has ended', async () => {
  await using gateway = await open({ MAX_SUBSCRIPTIONS: '2' });
  const streams = [await openStream(gateway, NOTICES), await openStream(gateway, NOTICES)];
  const refused = await openStream(gateway, NOTICES);
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect((await gateway.graphql('{ notices { title } }')).data.notices).toHaveLength(1);
  streams[0]?.leave();
  await expect.poll(async () => (await scrape(gateway)).sum('vitrine_subscriptions')).toBe(1);
  const admitted = await openStream(gateway, NOTICES);
  expect(admitted.status).toBe(200);
  leaveAll([...streams, admitted]);
});

test('of subscriptions that come at once, no more than MAX_SUBSCRIPTIONS are opened', async () => {
  await using gateway = await open({ MAX_SUBSCRIPTIONS: '2' });
  const streams = await Promise.all(Array.from({ length: 5 }, () => openStream(gateway, NOTICES)));
  expect(streams.map(({ status }) => status).toSorted()).toEqual([200, 200, 503, 503, 503]);
  leaveAll(streams);
});

test('a change between the response and the beginning of its stream is not lost', async () => {
  await using gateway = await open();
  await rename('Before');
  const stream = await openStream(gateway, NOTICES, {
    beforeStream: async () => {
      await rename('Meanwhile');
      // The gateway has heard of it.
      expect((await gateway.graphql('{ notices { title } }')).data).toEqual(shows('Meanwhile'));
    },
  });
  await untilShown(stream, shows('Meanwhile'));
  stream.leave();
});

test('a subscription that comes during a shutdown gets its first event and the end', async () => {
  await using gateway = await open();
  gateway.completeSubscriptions();
  const stream = await openStream(gateway, NOTICES);
  expect(stream.results).toHaveLength(1);
  expect([stream.isComplete(), stream.isOver()]).toEqual([true, true]);
});

test('a listener that does not read is cut, and the others go on', async () => {
  await using gateway = await open({ MAX_SUBSCRIPTIONS: '2' });
  await rename('Read');
  const slow = await openStream(gateway, NOTICES);
  const stream = await openStream(gateway, NOTICES);
  slow.stopReading();
  await rename('Unread');
  await untilShown(stream, shows('Unread'));
  await rename('More');
  await untilShown(stream, shows('More'));
  expect(slow.results).toEqual([{ data: shows('Read') }]);
  // Its place is free.
  const another = await openStream(gateway, NOTICES);
  expect(another.status).toBe(200);
  leaveAll([stream, another]);
});

test('a stream ends when its token has expired, and the others go on', async () => {
  await using issuer = await startIssuer();
  const { sign } = await issuer.addKey('one');
  // Ten seconds are allowed for the issuer's clock.
  const [kept, expiring] = [await sign(), await sign({ exp: nowS() - 6 })];
  await using gateway = await open(issuer.environment);
  const openWith = (token: string) => openStream(gateway, NOTICES, { headers: { authorization: `Bearer ${token}` } });
  const [one, other] = [await openWith(kept), await openWith(expiring)];
  await expect.poll(other.isOver).toBe(true);
  expect(other.isComplete()).toBe(true);
  expect(other.results.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  await rename('After');
  await untilShown(one, shows('After'));
  one.leave();
});

test('in a flood of changes the operation is executed ten times a second, and the last value comes', async () => {
  await using gateway = await open();
  const stream = await openStream(gateway, NOTICES);
  const startedMs = performance.now();
  const statements = await gateway.countStatements(async () => {
    for (let count = 1; count <= 200; count += 1) await rename(`Flood ${count}`);
    await untilShown(stream, shows('Flood 200'));
  });
  expect(statements).toBeLessThanOrEqual((performance.now() - startedMs) / 100 + 2);
  expect(stream.results.length).toBeLessThanOrEqual(statements + 1);
  stream.leave();
});

test('listeners, events and how late they come are in the metrics', async () => {
  await using gateway = await open({ MAX_SUBSCRIPTIONS: '7' });
  await rename('Before');
  const streams = [await openStream(gateway, NOTICES), await openStream(gateway, NOTICES)];
  for (const title of ['One', 'Two']) {
    await rename(title);
    for (const stream of streams) await untilShown(stream, shows(title));
  }
  streams[0]?.leave();
  await expect.poll(async () => (await scrape(gateway)).sum('vitrine_subscriptions')).toBe(1);
  const { sum } = await scrape(gateway);
  expect(sum('vitrine_subscriptions_max')).toBe(7);
  expect(sum('vitrine_subscription_events_total')).toBe(6);
  expect(sum('vitrine_subscription_lag_seconds_count')).toBe(2);
  expect(sum('vitrine_subscriptions_ended_total', { reason: 'client' })).toBe(1);
  expect(sum('vitrine_subscriptions_ended_total')).toBe(1);
  leaveAll(streams);
});

test('where the body that a plugin has put in the place of the events fails, the stream ends, and the log and the metrics say so', async () => {
  const broken: Plugin = {
    onResponse: ({ response, setResponse, fetchAPI }) => {
      const pull = () => Promise.reject(new Error('the plugin is broken'));
      setResponse(new fetchAPI.Response(new ReadableStream({ pull }), response));
    },
  };
  await using gateway = await createTestGateway(database, PATIENT, [broken]);
  const stream = await openStream(gateway, NOTICES);
  expect(stream.isOver()).toBe(true);
  expect((await scrape(gateway)).sum('vitrine_subscriptions_ended_total', { reason: 'failure' })).toBe(1);
  const errors = gateway.logged.filter(({ level }) => Number(level) >= 50);
  expect(errors).toMatchObject([{ err: { message: 'the plugin is broken' } }]);
});

describe.each<[how: string, environment: Record<string, string>]>([
  ['without a cache', { CACHE_MAX_MB: '0' }],
  ['with FRESHNESS_MS=100', { FRESHNESS_MS: '100' }],
])('%s', (_, environment) => {
  test('a change comes once, and nothing else', async () => {
    await rename('Before');
    await using gateway = await open(environment);
    const stream = await openStream(gateway, NOTICES);
    for (const title of ['One', 'Two', 'Three']) {
      await rename(title);
      await untilShown(stream, shows(title));
    }
    expect(stream.results).toHaveLength(4);
    stream.leave();
  });
});

test('while somebody listens, heartbeats go on without a request', async () => {
  await using wire = await wireTo(database);
  await using gateway = await createTestGateway(wire, PATIENT);
  const beats = () => wire.timesSent('vitrine_beat');
  const before = beats();
  const stream = await openStream(gateway, NOTICES);
  await expect.poll(beats).toBeGreaterThan(before + 3);
  stream.leave();
});
