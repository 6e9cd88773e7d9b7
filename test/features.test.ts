import pg from 'pg';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { FreshnessMonitor } from '../src/cache/freshness-monitor.ts';
import { createListen } from '../src/cache/listen.ts';
import { ResponseCache } from '../src/cache/response-cache.ts';
import { type CachedTable, TagVersions } from '../src/cache/tags.ts';
import { readConfig } from '../src/config/config.ts';
import { createClock } from '../src/database/clock.ts';
import { connectionConfig } from '../src/database/connection.ts';
import type { PrismaClient } from '../src/database/generated/client/client.ts';
import type { CheckedTable } from '../src/database/migrations/rights.ts';
import { createPool, createPrisma } from '../src/database/pool.ts';
import type { Rule } from '../src/database/visible-rows.ts';
import { examine } from '../src/doctor/doctor.ts';
import { FEATURES } from '../src/features.ts';
import { inEffect, readable } from '../src/notice/in-effect.ts';
import { visibility } from '../src/product/visibility.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { insertCategory } from './support/rows.ts';

// What a feature registers is what the migrations make, and each form of a rule says the same.

let database: TestDatabase;
let prisma: PrismaClient;

const MOMENTS = ['2026-06-01T11:59:59.999Z', '2026-06-01T12:00:00Z', '2026-06-01T12:00:00.001Z', '2999-01-01Z'];

beforeAll(async () => {
  database = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const pool = createPool({ connection: connectionConfig(database.url), size: 2, timeoutMs: 5000, log });
  prisma = await createPrisma(pool);
  const category = await insertCategory(database);
  await database.sql(
    `insert into product (category_id, name, slug, price, status, published_at)
     select $1::int, 'P', concat(status, moment), 1, status, moment
     from unnest(enum_range(null::product_status)) status, unnest($2::timestamptz[]) moment
     union all select $1::int, 'P', 'never', 1, 'DRAFT'::product_status, '2998-01-01Z'::timestamptz`,
    [category, MOMENTS],
  );
  await database.sql(
    `insert into notice (title, content, status, starts_at, ends_at)
     select status::text, '', status, starts_at, ends_at
     from unnest(enum_range(null::notice_status)) status, unnest($1::timestamptz[]) starts_at, unnest($1::timestamptz[] || null) ends_at
     where ends_at is null or ends_at > starts_at`,
    [MOMENTS],
  );
  return async () => {
    await prisma.$disconnect();
    await pool.end();
    await database[Symbol.asyncDispose]();
  };
});

test.for([...MOMENTS, '2026-01-01Z', '3000-01-01Z'])(
  'whether a notice is in effect is the same by Prisma and of a row, at %s',
  async (text) => {
    const now = new Date(text);
    const all = await prisma.notice.findMany({ orderBy: { id: 'asc' } });
    const expected = all.filter((row) => inEffect.holds(row, now));
    expect(await prisma.notice.findMany({ where: inEffect.where(now), orderBy: { id: 'asc' } })).toEqual(expected);
  },
);

interface Case {
  readonly table: string;
  // biome-ignore lint/suspicious/noExplicitAny: rules of several tables
  readonly rule: Rule<any>;
  readonly all: () => Promise<readonly { id: number }[]>;
}

describe.each<[string, Case]>([
  ['a product is visible', { table: 'product', rule: visibility, all: () => prisma.product.findMany() }],
  ['a notice is readable', { table: 'notice', rule: readable, all: () => prisma.notice.findMany() }],
  ['a notice is in effect', { table: 'notice', rule: inEffect, all: () => prisma.notice.findMany() }],
])('whether %s', (_, { table, rule, all }) => {
  const held = async (now: Date): Promise<number[]> =>
    (await all())
      .filter((row) => rule.holds(row, now))
      .map(({ id }) => id)
      .sort((a, b) => a - b);

  test.for([...MOMENTS, '2026-01-01Z', '3000-01-01Z'])('is the same in SQL and of a row, at %s', async (text) => {
    const now = new Date(text);
    const expected = await held(now);
    const bySql = await database.sql(
      `select id from ${table} t where ${rule.sql('t', '$1::timestamptz')} order by id`,
      [now],
    );
    expect(bySql.map(({ id }) => id)).toEqual(expected);
  });

  test('next changes when the database says so', async () => {
    const stamps = MOMENTS.map((text) => new Date(text).getTime());
    for (const after of stamps) {
      const before = String(await held(new Date(after)));
      let expected: number | null = null;
      for (const stamp of stamps) {
        if (expected === null && stamp > after && String(await held(new Date(stamp))) !== before) expected = stamp;
      }
      const [row] = await database.sql<{ moment: Date | null }>(
        `select ${rule.nextChangeSql('$1::timestamptz')} as moment`,
        [new Date(after)],
      );
      expect(row?.moment?.getTime() ?? null).toBe(expected);
    }
  });

  // One of what is there, such as numbers in stock, holds no order of what is visible.
  test('can be true only of rows that the partial indexes hold', async () => {
    const indexes = await database.sql<{ predicate: string }>(
      `select distinct pg_get_expr(indpred, indrelid) as predicate from pg_index where indrelid = $1::regclass and pg_get_expr(indpred, indrelid) !~ '^[(]\\w+ IS NOT NULL[)]$'`,
      [table],
    );
    expect(indexes).not.toEqual([]);
    for (const { predicate } of indexes) {
      const outside = `select id from ${table} where not (${predicate})`;
      const held = `select id from ${table} t where ${rule.sql('t', '$1::timestamptz')}`;
      expect(await database.sql(`${outside} intersect ${held}`, [new Date('9000-01-01Z')])).toEqual([]);
    }
  });
});

interface Trigger {
  readonly name: string;
  readonly events: string[];
  /** Of an update. */
  readonly columns: string[];
}

/** The triggers of a table, with the columns whose updates they see. */
const triggersOf = (table: string): Promise<Trigger[]> =>
  database.sql<Trigger & pg.QueryResultRow>(
    `select tgname as name,
       array(select event from unnest(array['insert', 'delete', 'update', 'truncate'], array[4, 8, 16, 32]) as e (event, bit)
             where tgtype & bit > 0) as events,
       array(select attname::text from pg_attribute
             where attrelid = tgrelid and attnum > 0 and not attisdropped and tgtype & 16 > 0
               and (cardinality(tgattr) = 0 or attnum = any (tgattr::int2[]))) as columns
     from pg_trigger where tgrelid = $1::regclass and not tgisinternal and tgenabled = 'O' order by tgname`,
    [table],
  );

describe.each(FEATURES.map((feature) => [feature.table, feature] as const))('the table %s', (table, feature) => {
  test('has the triggers that its feature registers, and they see every change but those of silent columns', async () => {
    const triggers = await triggersOf(table);
    expect(triggers.map(({ name }) => name)).toEqual(feature.triggers.toSorted());
    expect(new Set(triggers.flatMap(({ events }) => events))).toEqual(
      new Set(['insert', 'delete', 'update', 'truncate']),
    );
    const columns = await database.sql<{ name: string }>(
      'select column_name as name from information_schema.columns where table_name = $1',
      [table],
    );
    const seen = new Set(triggers.flatMap((trigger) => trigger.columns));
    const unseen = columns.map(({ name }) => name).filter((name) => !seen.has(name));
    expect(unseen, 'columns whose updates no trigger notifies').toEqual(table === 'notice' ? ['view_count'] : []);
  });

  test('notifies the next change of the rows that were written as its feature finds it', async () => {
    const { tags, nextChangeSql } = feature;
    if (!tags || !nextChangeSql) return;
    await using disposal = new AsyncDisposableStack();
    const client = new pg.Client(database.url);
    await client.connect();
    disposal.defer(() => client.end());
    const heard: string[] = [];
    client.on('notification', ({ payload = '' }) => void heard.push(payload));
    await client.query('listen vitrine');
    await client.query(`update ${table} set ${tags.groups.column} = ${tags.groups.column}`);
    await client.query('select 1');
    const groups = await client.query(`select ${tags.groups.column} as id from ${table}`);
    const next = await client.query(`select extract(epoch from ${nextChangeSql('now()')})::float8 * 1000 as ms`);
    const [payload = ''] = heard;
    const [name, , groupIds, ms] = payload.split(' ');
    expect([name, new Set(groupIds?.split(',')), Number(ms)]).toEqual([
      table,
      new Set(groups.rows.map(({ id }) => String(id))),
      next.rows[0].ms,
    ]);
  });
});

test('a fourth table is cached, notified and looked after as soon as it is registered', async () => {
  const supplier: CachedTable & CheckedTable = {
    table: 'supplier',
    tags: { rows: 2 ** 8, groups: { column: 'country_id', size: 2 ** 4 } },
    nextChangeSql: (after) => `(select min(founded_at) from supplier where founded_at > ${after})`,
    triggers: ['vitrine_notify'],
    rights: ['select'],
  };
  await database.sql('create table supplier (id int, country_id int, founded_at timestamptz)');
  const missing = await examine([...FEATURES, supplier], readConfig({}), database.url, 1);
  expect(missing.filter(({ status }) => status !== 'ok')).toEqual([
    expect.objectContaining({ check: 'triggers', message: expect.stringContaining('vitrine_notify on supplier') }),
  ]);
  await database.sql(
    `create trigger vitrine_notify after insert or update or delete or truncate on supplier
     for each statement execute function vitrine_notify()`,
  );

  await using disposal = new AsyncDisposableStack();
  const tables = [...FEATURES, supplier];
  const clock = createClock();
  const tagVersions = new TagVersions(tables);
  const freshnessMs = 0;
  const freshnessMonitor = new FreshnessMonitor({
    connection: connectionConfig(database.url),
    listen: createListen(tables),
    clock,
    tagVersions,
    freshnessMs,
    log: pino({ level: 'silent' }),
  });
  disposal.defer(() => freshnessMonitor.close());
  await freshnessMonitor.connect();
  const cache = new ResponseCache({
    freshnessMonitor,
    tagVersions,
    clock,
    maxBytes: 1_000_000,
    freshnessMs,
    staleIfErrorMs: 0,
    timeoutMs: 1000,
    kindOf: () => 'other',
  });
  const outcomes = async (): Promise<string[]> => {
    const inCountry = (id: number) =>
      cache.get(`country ${id}`, async (dependencies) => {
        dependencies.addGroup('supplier', id);
        return '';
      });
    return [(await inCountry(1)).outcome, (await inCountry(2)).outcome];
  };
  const warm = () => expect.poll(outcomes, { interval: 5 }).toEqual(['hit', 'hit']);
  await warm();
  await database.sql("insert into supplier values (1, 1, now() + interval '1 hour')");
  expect(await outcomes()).toEqual(['miss', 'miss']);
  await warm();
  await database.sql(`notify vitrine, 'supplier 7 2'`);
  expect(await outcomes()).toEqual(['hit', 'miss']);
  await warm();
  await database.sql("notify vitrine, 'product'");
  expect(await outcomes()).toEqual(['hit', 'hit']);
  const [row] = await database.sql<{ ms: number }>(
    'select extract(epoch from founded_at)::float8 * 1000 as ms from supplier',
  );
  await freshnessMonitor.freshen();
  expect(freshnessMonitor.nextChangeMs('supplier')).toBe(row?.ms);
});
