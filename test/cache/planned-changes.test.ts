import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';
import { shared } from '../support/shared.ts';

/** What the contract allows around a moment. */
const TOLERANCE_MS = 50;

/** Longer than an answer may miss a change. */
const QUIET_MS = 150;

const database = await shared(createTestDatabase());
const category = await insertCategory(database);

beforeEach(() => emptyTables(database, ['product', 'notice']));

/** In how many of the answers that are in memory the text occurs. */
const sightings = async ({ get, graphql }: TestGateway, text: string): Promise<number> => {
  const answers = await Promise.all([
    ...['product/hot', 'product/new', 'product/list', 'notice/list', 'notice/page', 'notice/page?keyword=Moment'].map(
      async (path) => (await get(`/api/${path}`)).text,
    ),
    graphql('{ products(orderBy: NAME_ASC) { name } categories { products { name } } }').then(JSON.stringify),
    graphql('{ notices { title } noticePage(pageSize: 50) { items { title } } }').then(JSON.stringify),
  ]);
  return answers.filter((answer) => answer.includes(text)).length;
};

/**
 * Reads without pause from before a moment until after it, and gives the sightings of all that was certainly answered before or after, and
 * how many statements were sent while it was far.
 */
const watch = async (gateway: TestGateway, text: string, moment: string, afterMs = 150) => {
  const seen = { before: new Set<number>(), after: new Set<number>(), farStatements: 0, farRounds: 0 };
  // Until the gateway has been notified of the change, and needs no statement any more.
  let busyMs = performance.now();
  while (performance.now() - busyMs < QUIET_MS && (await millisecondsSince(database, moment)) < -TOLERANCE_MS) {
    if ((await gateway.countStatements(() => sightings(gateway, text))) > 0) busyMs = performance.now();
  }
  for (let sentMs = -Infinity; sentMs < afterMs; ) {
    sentMs = await millisecondsSince(database, moment);
    let count = -1;
    const statements = await gateway.countStatements(async () => {
      count = await sightings(gateway, text);
    });
    const receivedMs = await millisecondsSince(database, moment);
    if (sentMs > TOLERANCE_MS) seen.after.add(count);
    if (receivedMs < -TOLERANCE_MS) {
      seen.before.add(count);
      seen.farStatements += statements;
      seen.farRounds += 1;
    }
  }
  return { ...seen, before: [...seen.before], after: [...seen.after] };
};

describe.each([0, 100])('with FRESHNESS_MS=%i, from memory and on the moment', (freshnessMs) => {
  const environment = { FRESHNESS_MS: String(freshnessMs) };

  test.for<[string, number, number, (moment: string) => Promise<unknown>]>([
    [
      'a product is published',
      0,
      4,
      (moment) => insertProduct(database, { category_id: category, name: 'Moment', published_at: moment }),
    ],
    ['a notice starts', 0, 4, (moment) => insertNotice(database, { title: 'Moment', starts_at: moment })],
    ['a notice ends', 4, 0, (moment) => insertNotice(database, { title: 'Moment', ends_at: moment })],
  ])('%s', async ([, before, after, insert]) => {
    // On a busy machine the moment may come before there was time to look: then another is watched, which is further away.
    for (let leadMs = 600; ; leadMs *= 2) {
      await emptyTables(database, ['product', 'notice']);
      await using gateway = await createTestGateway(database, environment);
      // The first request loads what is needed for any. Nothing that is watched is in memory before the change.
      await gateway.graphql('{ __typename }');
      const moment = await momentFromNow(database, leadMs);
      await insert(moment);
      const seen = await watch(gateway, 'Moment', moment);
      if (seen.farRounds <= 3 && leadMs < 9600) continue;
      expect(seen).toMatchObject({ before: [before], after: [after] });
      // It is no trick: until then nearly nothing was asked of the database. What is not in memory takes eight statements a round, or more.
      expect(seen.farRounds).toBeGreaterThan(3);
      expect(seen.farStatements).toBeLessThan(Math.max(16, 2 * seen.farRounds));
      return;
    }
  });

  test('one notice takes over from another, thirty times', async () => {
    await using gateway = await createTestGateway(database, environment);
    await gateway.graphql('{ notices { title } }');
    const first = await momentFromNow(database, 100);
    await database.sql(
      `insert into notice (title, content, starts_at, ends_at)
       select 'Turn ' || n, '', $1::timestamptz + n * interval '30 milliseconds', $1::timestamptz + (n + 1) * interval '30 milliseconds'
       from generate_series(0, 29) n`,
      [first],
    );
    const faults: string[] = [];
    let sentMs = await millisecondsSince(database, first);
    while (sentMs < 30 * 30 + 100) {
      const { data } = await gateway.graphql('{ notices { title } }');
      const receivedMs = await millisecondsSince(database, first);
      for (const { title } of data.notices) {
        const turnMs = Number(title.slice(5)) * 30;
        const isIn = turnMs < receivedMs + TOLERANCE_MS && turnMs + 30 > sentMs - TOLERANCE_MS;
        if (!isIn) faults.push(`${title} between ${sentMs} and ${receivedMs} ms`);
      }
      sentMs = await millisecondsSince(database, first);
    }
    expect(faults).toEqual([]);
    expect((await gateway.graphql('{ notices { title } }')).data.notices).toEqual([]);
  });
});

// A moment in the fraction of a millisecond between the database's clock and ours was once forgotten for good.
test('no notice is forgotten, whenever it starts', async () => {
  await using gateway = await createTestGateway(database, { FRESHNESS_MS: '0' });
  for (let count = 1; count <= 20; count += 1) {
    const moment = await momentFromNow(database, 15 + count / 20);
    await insertNotice(database, { starts_at: moment });
    while ((await millisecondsSince(database, moment)) < 1) await gateway.graphql('{ notices { id } }');
    await gateway.graphql('{ notices { id } }');
    await expect.poll(() => millisecondsSince(database, moment), { interval: 5 }).toBeGreaterThan(TOLERANCE_MS);
    expect((await gateway.graphql('{ notices { id } }')).data.notices).toHaveLength(count);
  }
});

describe('a moment that passes while an answer is made', () => {
  const HOT = '{ hotProducts { name category { name } } }';

  /** Begins to answer before a product is published, and holds the answer up until after. */
  const holdUp = async (freshnessMs: number) => {
    for (;;) {
      await emptyTables(database, ['product', 'notice']);
      await using stack = new AsyncDisposableStack();
      const gateway = stack.use(
        await createTestGateway(database, { FRESHNESS_MS: String(freshnessMs), DATABASE_TIMEOUT_MS: '5000' }),
      );
      const backOffice = stack.use(await openSession(database));
      // The first request loads what is needed for any.
      await gateway.graphql('{ newProducts { id } }');
      const moment = await momentFromNow(database, 2000);
      await insertProduct(database, { category_id: category, name: 'Old' });
      await insertProduct(database, { category_id: category, name: 'Moment', published_at: moment });
      // Until the gateway knows of it.
      await expect
        .poll(() => gateway.countStatements(() => gateway.graphql('{ newProducts { id } }')), { interval: 5 })
        .toBe(0);
      await backOffice.query('begin');
      await backOffice.query('lock table category in access exclusive mode');
      // So late that the answer is still within the bound when the moment has passed.
      await expect.poll(() => millisecondsSince(database, moment), { interval: 5 }).toBeGreaterThan(-600);
      const held = gateway.graphql(HOT);
      await untilBlocked(database);
      // On a busy machine the moment may come before all this: then another is waited for.
      if ((await millisecondsSince(database, moment)) >= 0) {
        await backOffice.query('commit');
        await held;
        continue;
      }
      await expect.poll(() => millisecondsSince(database, moment), { interval: 5 }).toBeGreaterThan(TOLERANCE_MS);
      const kept = stack.move();
      return {
        gateway,
        held,
        letGo: () => backOffice.query('commit'),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    }
  };

  const names = async (asked: ReturnType<TestGateway['graphql']>): Promise<string[]> =>
    (await asked).data.hotProducts.map(({ name }: { name: string }) => name);

  test('is not missing from those that come after', async () => {
    await using hold = await holdUp(100);
    const { gateway, held, letGo } = hold;
    // Heartbeats go on meanwhile, and say that nothing more is to come.
    for (const limit of [2, 3])
      expect((await gateway.graphql(`{ newProducts(limit: ${limit}) { id } }`)).data.newProducts).toHaveLength(2);
    await letGo();
    expect(await names(held)).toEqual(['Old']);
    expect(await names(gateway.graphql(HOT))).toEqual(['Moment', 'Old']);
  });

  test('is not missing for those who ask for the same meanwhile', async () => {
    await using hold = await holdUp(1000);
    const { gateway, held, letGo } = hold;
    const second = gateway.graphql(HOT);
    await untilBlocked(database, 2);
    await letGo();
    expect(await names(held)).toEqual(['Old']);
    expect(await names(second)).toEqual(['Moment', 'Old']);
  });
});
