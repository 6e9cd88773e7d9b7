import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { examine } from '../../src/doctor/doctor.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestGateway } from '../support/gateway.ts';
import { priceIn } from '../support/priced-product.ts';
import { startGatewayProcess } from '../support/process.ts';
import { readsFrom, untilPassedOver, untilReadFrom } from '../support/replica-reads.ts';
import { conninfoOf, createReplicatedDatabase, type Server, startAgainBehind } from '../support/replicated-database.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { expectHonest, numbers, startLoad } from '../support/views.ts';
import { nameOf } from '../support/wire.ts';

/** One URL for several servers. */
const urlOf = (servers: readonly Server[]): string => {
  const [first = ''] = servers.map(({ url }) => url);
  const { username, password, pathname } = new URL(first);
  const hosts = servers.map(({ url }) => new URL(url).host).join(',');
  return `postgresql://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;
};

const readPrice = async (url: string, id: number): Promise<number> => {
  const response = await fetch(`${url}/api/product/${id}`);
  return priceIn({ text: await response.text() } as never);
};

test.for(['several hosts in their URL', 'a name that moves'])(
  'the primary dies under load and a replica is promoted: by %s, gateways go on there, and no view that was answered is lost or counted twice',
  async (way) => {
    await using servers = await createReplicatedDatabase();
    const { primary } = servers;
    const heir = await servers.addReplica();
    const product = await insertProduct(primary, { category_id: await insertCategory(primary) });
    const ids = await Promise.all(numbers(1, 3).map(() => insertNotice(primary)));
    // What is acknowledged is then at the replica, too.
    await primary.sql(`alter system set synchronous_standby_names = '*'`);
    await primary.sql('select pg_reload_conf()');
    await expect
      .poll(() => primary.sql(`select sync_state from pg_stat_replication`))
      .toEqual([{ sync_state: 'sync' }]);

    await using name = await nameOf(primary);
    const environment = {
      DATABASE_URL: way === 'a name that moves' ? name.url : urlOf([primary, heir]),
      DATABASE_REPLICA_URLS: [primary, heir].map(({ url }) => url).join(','),
    };
    const gateways = await Promise.all([startGatewayProcess(environment), startGatewayProcess(environment)]);
    await using stack = new AsyncDisposableStack();
    for (const gateway of gateways) stack.use(gateway);
    let turn = 0;
    const load = startLoad({ url: () => gateways[turn++ % 2]?.url ?? '', ids, clients: 20 });
    await load.answered(300);
    for (const { url } of gateways) expect(await readPrice(url, product)).toBe(1);

    await primary.kill();
    await heir.sql('select pg_promote()');
    name.moveTo(heir);
    const promotedMs = performance.now();
    await load.answered(300);
    expect(performance.now() - promotedMs).toBeLessThan(10_000);
    await heir.sql('update product set price = 2 where id = $1', [product]);
    for (const { url } of gateways) {
      await expect.poll(() => readPrice(url, product)).toBe(2);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    await load.stop();
    await expectHonest(heir, load.tally);
    expect(load.count(200) + load.count(503)).toBe([...load.tally.values()].flatMap(({ views }) => views).length);
  },
);

test('replicas are those of the new primary: not itself, and not the former one that comes back with a history of its own', async () => {
  await using servers = await createReplicatedDatabase();
  const former = servers.primary;
  const [heir, other] = [await servers.addReplica(), await servers.addReplica()];
  const id = await insertProduct(former, { category_id: await insertCategory(former) });
  await servers.caughtUp(heir);
  await servers.caughtUp(other);
  const environment = {
    DATABASE_URL: urlOf([former, heir, other]),
    DATABASE_REPLICA_URLS: [former, heir, other].map(({ url }) => url).join(','),
    CACHE_MAX_MB: '0',
  };
  await using gateway = await createTestGateway({ url: environment.DATABASE_URL }, environment);
  const read = () => gateway.get(`/api/product/${id}`);
  await untilReadFrom(gateway, heir, read);
  await untilPassedOver(gateway, former, 'other', read);

  await heir.sql('select pg_promote()');
  await other.sql(`alter system set primary_conninfo = '${conninfoOf(heir)}'`);
  await other.sql('select pg_reload_conf()');
  await expect
    .poll(() => other.sql('select sender_port from pg_stat_wal_receiver'))
    .toEqual([{ sender_port: Number(new URL(heir.url).port) }]);
  // Nobody has told the former one yet, so it goes on, and further than the new one is.
  await former.sql('update product set price = 13 where id = $1', [id]);
  await former.sql(`create table ballast as select repeat('x', 1000) from generate_series(1, 2000)`);
  await former.kill();
  await startAgainBehind(former, heir);

  await expect.poll(async () => priceIn(await read())).toBe(1);
  await untilReadFrom(gateway, other, read);
  await untilPassedOver(gateway, heir, 'other', read);
  await untilPassedOver(gateway, former, 'other', read);
  await heir.sql('update product set price = 5 where id = $1', [id]);
  await expect.poll(async () => priceIn(await read())).toBe(5);
  expect(await readsFrom(gateway, former)).toBe(0);

  const config = readConfig(environment);
  const findings = await examine(FEATURES, config, environment.DATABASE_URL, 1);
  expect(
    findings.filter(({ check }) => check === 'replicas').map(({ status, message }) => `${status}: ${message}`),
  ).toEqual([
    expect.stringMatching(/^warn: .* does not follow this primary/),
    expect.stringMatching(/^ok: .* is a primary at present/),
    expect.stringMatching(/^ok: .* follows this primary$/),
  ]);
});
