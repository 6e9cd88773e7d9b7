import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { hasReplayed } from '../../src/database/replicas/wal-position.ts';
import { type Reading, startCommitRecord } from '../support/commit-record.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { priceIn } from '../support/priced-product.ts';
import { passedOver, readsFrom, untilPassedOver, untilReadFrom } from '../support/replica-reads.ts';
import { createReplicatedDatabase } from '../support/replicated-database.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';
import { wireTo } from '../support/wire.ts';

const servers = await shared(createReplicatedDatabase());
const { primary } = servers;
const replica = await servers.addReplica();
const other = await servers.addReplica();
const id = await insertProduct(primary, { category_id: await insertCategory(primary) });

// Also where a test has failed.
afterEach(async () => {
  for (const server of [replica, other]) await server.sql('select pg_wal_replay_resume()');
});

/** Without memory, every answer is read. */
const NO_MEMORY = { CACHE_MAX_MB: '0' };

const start = (
  replicas: readonly { url: string }[],
  environment: Record<string, string> = {},
  { url } = primary as { url: string },
): Promise<TestGateway> =>
  createTestGateway(
    { url },
    {
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: replicas.map((each) => each.url).join(', '),
      DATABASE_TIMEOUT_MS: '1500',
      ...environment,
    },
  );

const random = (from: number, to: number): number => from + Math.floor(Math.random() * (to - from + 1));

let lastPrice = 10;

/** Gives the price and the `performance.now()` at which it was acknowledged. */
const changePrice = async (): Promise<{ price: number; atMs: number }> => {
  lastPrice += 1;
  await primary.sql('update product set price = $1 where id = $2', [lastPrice, id]);
  return { price: lastPrice, atMs: performance.now() };
};

const readPrice = async (gateway: TestGateway): Promise<number> => priceIn(await gateway.get(`/api/product/${id}`));

describe('DATABASE_REPLICA_URLS', () => {
  test.for([
    [{}, 'needs DATABASE_URL beside it'],
    [{ DATABASE_REPLICA_URLS: 'postgresql://u:secret@a,b/db' }, 'must be URLs that begin with postgresql://'],
    [{ DATABASE_REPLICA_URLS: 'postgresql://a/db, b' }, 'must be URLs that begin with postgresql://'],
  ] as const)('is refused: %o', ([environment, reason]) => {
    const read = () => readConfig({ DATABASE_REPLICA_URLS: 'postgresql://u:secret@a/db', ...environment });
    expect(read).toThrow(`DATABASE_REPLICA_URLS ${reason}`);
    expect(read).not.toThrow('secret');
  });

  test('gives no password to a log', () => {
    const url = (password: string) => `postgresql://u:${password}@host/db`;
    const config = readConfig({ DATABASE_URL: url('one'), DATABASE_REPLICA_URLS: `${url('two')},${url('three')}` });
    expect(new Set(config.secrets)).toEqual(new Set(['one', 'two', 'three']));
  });
});

describe('a position of the primary', () => {
  const replica = {
    lsn: 8192,
    origin: '1/2',
    receivedTimeline: null,
    recoveredTimeline: 3,
    isStandby: true,
    startedAt: '',
    pid: 1,
  };
  test.for([
    ['that is replayed', {}, {}, true],
    ['that is one byte further', {}, { lsn: 8193 }, false],
    ['behind the header of a page that is still empty', {}, { lsn: 8216 }, true],
    ['behind the first record of that page', {}, { lsn: 8224 }, false],
    ['just as far behind one that is not the end of a page', { lsn: 8200 }, { lsn: 8224 }, false],
    ['of another timeline', {}, { timeline: 4 }, false],
    ['of the timeline that is being received', { receivedTimeline: 4 }, { timeline: 4 }, true],
    ['of another cluster', {}, { origin: '2/2' }, false],
    ['for a server that replays nothing', { lsn: null }, {}, false],
    ['for a server that is a primary itself', { isStandby: false }, {}, false],
  ] as const)('%s', ([, own, position, expected]) => {
    expect(hasReplayed({ ...replica, ...own }, { lsn: 8192, origin: '1/2', timeline: 3, ...position })).toBe(expected);
  });
});

describe('misses', () => {
  test('are read from all replicas in turn, and hardly ever from the primary, while views and beats stay there', async () => {
    // On a busy machine a replica may well be asked for its position less often than every 100 ms.
    await using gateway = await start([replica, other], { ...NO_MEMORY, FRESHNESS_MS: '1000' });
    await untilReadFrom(gateway, replica, () => readPrice(gateway));
    await untilReadFrom(gateway, other, () => readPrice(gateway));
    const before = await readsFrom(gateway);
    const notice = await insertNotice(primary);
    // A replica may be behind by the bound, and would say that the notice does not exist.
    await Promise.all([servers.caughtUp(replica), servers.caughtUp(other)]);
    for (let view = 1; view <= 30; view += 1) {
      expect((await gateway.get(`/api/notice/${notice}`)).json).toMatchObject({ viewCount: view });
      expect((await gateway.get('/api/product/hot')).status).toBe(200);
      await Promise.all([
        readPrice(gateway),
        gateway.get('/api/notice/list'),
        gateway.graphql('{ categories { id children { id } } }'),
      ]);
    }
    const [first, second] = [await readsFrom(gateway, replica), await readsFrom(gateway, other)];
    expect(Math.min(first, second)).toBeGreaterThan(20);
    expect((await readsFrom(gateway)) - before).toBeLessThan((first + second) / 2);
    const { samples } = await scrape(gateway);
    expect(samples.filter(({ name }) => name === 'vitrine_replica_lag_seconds')).toHaveLength(2);
  });

  test('are not what an idle gateway asks a replica for', async () => {
    await using wire = await wireTo(replica);
    await using gateway = await start([wire], NO_MEMORY);
    await untilReadFrom(gateway, wire, () => readPrice(gateway));
    await expect.poll(wire.idleMs).toBeGreaterThan(500);
  });

  test('are read from a replica by a role that may do no more than a gateway needs, and not if it may not even ask how far it is', async () => {
    await primary.sql(`create role gateway login password 'gateway'`);
    await primary.sql(
      'grant select on category, product, product_variant, product_words, translated_words, slug_alias, term_translation, notice, _prisma_migrations to gateway',
    );
    await primary.sql('grant update (view_count) on notice to gateway');
    await servers.caughtUp(replica);
    const asGateway = ({ url }: { url: string }) =>
      Object.assign(new URL(url), { username: 'gateway', password: 'gateway' }).href;
    const environment = { DATABASE_URL: asGateway(primary), DATABASE_REPLICA_URLS: asGateway(replica), ...NO_MEMORY };
    await using gateway = await createTestGateway({ url: environment.DATABASE_URL }, environment);
    await untilReadFrom(gateway, replica, () => readPrice(gateway));

    await primary.sql('revoke execute on function pg_control_system() from public');
    try {
      await using barred = await createTestGateway({ url: environment.DATABASE_URL }, environment);
      for (let read = 0; read < 20; read += 1) expect(await readPrice(barred)).toBeGreaterThan(0);
      expect(await readsFrom(barred, replica)).toBe(0);
      expect(barred.logged.map(({ msg }) => msg)).toContain(
        'the position of the primary cannot be read: no replica is used',
      );
    } finally {
      await primary.sql('grant execute on function pg_control_system() to public');
    }
  });

  test('are read from the primary for a preview, and counted there', async () => {
    await using gateway = await start([replica], { ...NO_MEMORY, PREVIEW_TOKENS: 'a-preview-token' });
    await untilReadFrom(gateway, replica, () => readPrice(gateway));
    const before = [await readsFrom(gateway), await readsFrom(gateway, replica)];
    const headers = { 'x-preview-at': '2030-01-01T00:00:00Z', authorization: 'Bearer a-preview-token' };
    expect((await gateway.get('/api/product/hot', headers)).status).toBe(200);
    const [primaryBefore = 0, replicaBefore] = before;
    expect([await readsFrom(gateway), await readsFrom(gateway, replica)]).toEqual([primaryBefore + 1, replicaBefore]);
  });

  test('are left to the primary where no commit at all may be missed', async () => {
    await using gateway = await start([replica], { ...NO_MEMORY, FRESHNESS_MS: '0' });
    for (let read = 0; read < 20; read += 1) {
      const { price } = await changePrice();
      expect(await readPrice(gateway)).toBe(price);
    }
    expect(await readsFrom(gateway, replica)).toBe(0);
  });
});

describe('a replica that lags', () => {
  test('never shows what is older than the bound: the primary is read, until it has caught up', async () => {
    await using gateway = await start([replica], NO_MEMORY);
    await untilReadFrom(gateway, replica, () => readPrice(gateway));
    for (let round = 0; round < 3; round += 1) {
      await replica.sql('select pg_wal_replay_pause()');
      const { price, atMs } = await changePrice();
      const expectBounded = async (): Promise<void> => {
        const sentMs = performance.now();
        const read = await readPrice(gateway);
        if (sentMs - atMs >= 100) expect(read).toBe(price);
      };
      while (performance.now() - atMs < 200) await expectBounded();
      await untilPassedOver(gateway, replica, 'lag', expectBounded);
      await replica.sql('select pg_wal_replay_resume()');
      await untilReadFrom(gateway, replica, () => readPrice(gateway));
      expect(await readPrice(gateway)).toBe(price);
    }
  });

  test('is not read once a change is told that it has not replayed, though it is well within the bound', async () => {
    // Nothing is older than the bound here: what is old can only be kept, and shown for ever.
    await using gateway = await start([replica], { FRESHNESS_MS: '1000' });
    const other = await insertProduct(primary, { category_id: 1 });
    const readOther = () => gateway.get(`/api/product/list?limit=${2 + (reads++ % 90)}`);
    let reads = 0;
    for (let round = 0; round < 5; round += 1) {
      await servers.caughtUp(replica);
      await primary.sql('update product set stock = stock + 1 where id = $1', [other]);
      await untilReadFrom(gateway, replica, readOther);
      await replica.sql('select pg_wal_replay_pause()');
      const { price } = await changePrice();
      // The notification has come when the price is another.
      await expect.poll(() => readPrice(gateway)).toBe(price);
      const list = await gateway.get('/api/product/list?limit=100');
      expect(list.text).toContain(`"amount":"${price}.00"`);
      await replica.sql('select pg_wal_replay_resume()');
      expect(await passedOver(gateway, replica, 'change')).toBeGreaterThan(0);
    }
  });
});

test('a replica that has not replayed a rewrite of a table is not read once the rewrite is found', async () => {
  await using gateway = await start([replica], { FRESHNESS_MS: '1000' });
  await servers.caughtUp(replica);
  let reads = 0;
  await untilReadFrom(gateway, replica, () => gateway.get(`/api/product/list?limit=${2 + (reads++ % 90)}`));
  lastPrice += 1;
  await replica.sql('select pg_wal_replay_pause()');
  await primary.sql(`alter table product alter column price type numeric(14,2) using ${lastPrice}`);
  await expect.poll(() => readPrice(gateway)).toBe(lastPrice);
  expect((await gateway.get('/api/product/list?limit=100')).text).toContain(`"amount":"${lastPrice}.00"`);
});

describe('a commit that is acknowledged before it is written', () => {
  test('is not missed either: no replica has it before it is sent', async () => {
    await primary.sql(`alter system set wal_writer_delay = '3s'`);
    await primary.sql('select pg_reload_conf()');
    try {
      await using gateway = await start([replica], NO_MEMORY);
      for (let round = 0; round < 3; round += 1) {
        await untilReadFrom(gateway, replica, () => readPrice(gateway));
        lastPrice += 1;
        await primary.sql(
          `update product set price = $1 from (select set_config('synchronous_commit', 'off', true)) asynchronously where id = $2`,
          [lastPrice, id],
        );
        const atMs = performance.now();
        while (performance.now() - atMs < 250) {
          const sentMs = performance.now();
          const read = await readPrice(gateway);
          if (sentMs - atMs >= 100) expect(read).toBe(lastPrice);
        }
        // It writes what is before it, too.
        await primary.sql('update product set stock = stock + 1 where id = $1', [id]);
      }
    } finally {
      await primary.sql('alter system reset wal_writer_delay');
      await primary.sql('select pg_reload_conf()');
    }
  });
});

describe('no answer misses a commit that is older than the bound', () => {
  test('whatever is changed, read and delayed at once', async () => {
    const ids: number[] = [];
    for (let product = 0; product < 3; product += 1)
      ids.push(await insertProduct(primary, { category_id: 1, price: '0.00', sales: 9 }));
    await using gateway = await start([replica, other]);
    await untilReadFrom(gateway, replica, () => gateway.get(`/api/product/list?limit=${random(1, 100)}`));
    const record = await startCommitRecord(primary, ids, 100);
    const faults: string[] = [];
    let isRunning = true;
    const repeat = async (step: () => Promise<unknown>): Promise<void> => {
      while (isRunning) await step();
    };
    const read = async (target: string, lists: Reading['lists']): Promise<void> => {
      const sentMs = performance.now();
      const answer = await gateway.get(target);
      const fault = record.faultOf({ lists, sentMs, receivedMs: performance.now(), answer });
      if (fault) faults.push(`${target}: ${fault}`);
      await delay(random(0, 3));
    };
    let cents = 0;
    const running = Promise.all([
      ...ids.map(() => repeat(() => read('/api/product/list', ['products']))),
      // The query makes each of them an answer of its own.
      repeat(() => read(`/graphql?query={products(limit:${random(20, 100)}){id,price{amount}}}`, ['products'])),
      repeat(() =>
        read(`/graphql?query={categories{products(limit:${random(20, 100)}){id,price{amount}}}}`, ['products']),
      ),
      repeat(() => read('/api/notice/list', ['notices'])),
      repeat(() => read(`/api/notice/page?pageSize=${random(50, 100)}`, ['notices'])),
      repeat(async () => {
        cents += 1;
        await record.commitPrices(new Map([[ids[cents % ids.length] ?? 0, cents]]));
        // What is wrongly kept is seen only until the next change.
        await delay(random(0, 400));
      }),
      repeat(async () => {
        await record.insertNotice(random(-50, 200), 300);
        await delay(random(100, 400));
      }),
      ...[replica, other].map((server) =>
        repeat(async () => {
          await server.sql('select pg_wal_replay_pause()');
          await delay(random(0, 150));
          await server.sql('select pg_wal_replay_resume()');
          await delay(random(0, 150));
        }),
      ),
    ]);
    try {
      await delay(2000);
      await expect
        .poll(async () => (await readsFrom(gateway, replica)) + (await readsFrom(gateway, other)))
        .toBeGreaterThan(20);
    } finally {
      isRunning = false;
      await running;
    }
    expect(faults.slice(0, 5)).toEqual([]);
  });

  test('though the primary falls silent, so that no notification tells of it', async () => {
    await using wire = await wireTo(primary);
    await using gateway = await start([replica], NO_MEMORY, wire);
    await untilReadFrom(gateway, replica, () => readPrice(gateway));
    await replica.sql('select pg_wal_replay_pause()');
    wire.freeze();
    await changePrice();
    await delay(100);
    // The replica still has the former price, and would answer.
    expect((await gateway.get(`/api/product/${id}`)).status).toBe(503);
    await wire.restore();
  });
});

describe('a replica that fails', () => {
  test('costs no request when it dies, is passed over, and is taken back when it is there again', async () => {
    await using gateway = await start([replica, other], NO_MEMORY);
    await untilReadFrom(gateway, replica, () => readPrice(gateway));
    const statuses = new Set<number>();
    const readMany = async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => gateway.get(`/api/product/${id}?${Math.random()}`)),
      );
      for (const { status } of answers) statuses.add(status);
    };
    let isRunning = true;
    const load = (async () => {
      while (isRunning) await readMany();
    })();
    await replica.kill();
    await untilPassedOver(gateway, replica, 'away', readMany);
    expect((await gateway.get('/readyz')).status).toBe(200);
    await untilReadFrom(gateway, other, readMany);
    await replica.startAgain();
    await untilReadFrom(gateway, replica, readMany);
    isRunning = false;
    await load;
    expect([...statuses]).toEqual([200]);
    expect(gateway.logged.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['a replica is away: it is passed over', 'a replica is back']),
    );
  });

  test('by falling silent costs half the time that there is, and no request', async () => {
    await using wire = await wireTo(replica);
    await using gateway = await start([wire], NO_MEMORY);
    await untilReadFrom(gateway, wire, () => readPrice(gateway));
    wire.freeze();
    const beganMs = performance.now();
    while (performance.now() - beganMs < 1000) expect((await gateway.get(`/api/product/${id}`)).status).toBe(200);
    expect(await passedOver(gateway, wire, 'away')).toBeGreaterThan(0);
    await wire.restore();
    await untilReadFrom(gateway, wire, () => readPrice(gateway));
  });

  test('by a conflict with what it replays is helped out by the primary, and goes on being used', async () => {
    await replica.sql('alter system set max_standby_streaming_delay = 0');
    await replica.sql('select pg_reload_conf()');
    await primary.sql('alter table category rename to shelf');
    await primary.sql(
      'create view category as select c.* from shelf c, (select case when pg_is_in_recovery() then pg_sleep(0.3) end) pause',
    );
    await using gateway = await start([replica], NO_MEMORY);
    const read = () => gateway.graphql('{ category(id: 1) { name } }');
    try {
      await untilReadFrom(gateway, replica, read);
      const failures = async () => (await scrape(gateway)).sum('vitrine_replica_failures_total');
      const before = await failures();
      const reading = untilReadFrom(gateway, replica, read);
      await expect
        .poll(() =>
          replica.sql(`select from pg_stat_activity where query like '%category%' and wait_event = 'PgSleep'`),
        )
        .toHaveLength(1);
      // Its replay takes the lock away from whoever holds one there.
      await primary.sql('begin; lock table shelf in access exclusive mode; commit');
      await reading;
      await expect.poll(failures).toBeGreaterThan(before);
      expect(await read()).toMatchObject({ data: { category: { name: expect.any(String) } } });
      expect(gateway.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    } finally {
      await primary.sql('drop view category');
      await primary.sql('alter table shelf rename to category');
    }
  });
});
