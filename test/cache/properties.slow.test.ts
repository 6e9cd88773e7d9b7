import fc from 'fast-check';
import { describe, test, vi } from 'vitest';
import { type CommitRecord, type Reading, startCommitRecord } from '../support/commit-record.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type CachedResponse, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { askAll, type Request, STALE } from '../support/known-answers.ts';
import { type Wire, wireTo } from '../support/wire.ts';

const PRODUCT_IDS = [1, 2, 3];

const graphql = (query: string): Request => [
  'POST',
  '/graphql',
  { 'content-type': 'application/json' },
  JSON.stringify({ query }),
];

const LISTS: readonly { readonly request: Request; readonly lists: Reading['lists'] }[] = [
  { request: ['GET', '/api/product/list'], lists: ['products'] },
  { request: ['GET', '/api/product/hot'], lists: ['products'] },
  { request: ['GET', '/api/notice/list'], lists: ['notices'] },
  { request: ['GET', '/api/notice/page?pageSize=100'], lists: ['notices'] },
  { request: ['GET', '/graphql?query={newProducts{id,price{amount}}}'], lists: ['products'] },
  { request: graphql('{ notices { title } }'), lists: ['notices'] },
  {
    request: graphql('{ categories { products { id price { amount } } } notices { title } }'),
    lists: ['products', 'notices'],
  },
];

/** What goes on at once, each lane one step after another. */
interface Walk {
  readonly readers: readonly { readonly pauseMs: number; readonly list: number; readonly times: number }[][];
  readonly commits: readonly Commit[];
  readonly losses: readonly Loss[];
}

type Commit = { readonly pauseMs: number } & (
  | { readonly kind: 'prices'; readonly count: number }
  | { readonly kind: 'notice'; readonly startsInMs: number; readonly lastsMs: number | null }
  | { readonly kind: 'withdrawal' | 'rollback' }
);

interface Loss {
  readonly pauseMs: number;
  readonly kind: 'listener' | 'connections' | 'silence' | 'refusal';
  readonly lastsMs: number;
}

const pauseMs = fc.nat({ max: 40 });

const commit = fc.oneof(
  fc.record({ kind: fc.constant('prices' as const), pauseMs, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('notice' as const),
    pauseMs,
    startsInMs: fc.integer({ min: -100, max: 300 }),
    lastsMs: fc.option(fc.integer({ min: 20, max: 500 })),
  }),
  fc.record({ kind: fc.constantFrom('withdrawal' as const, 'rollback' as const), pauseMs }),
);

const reader = fc.array(
  fc.record({ pauseMs, list: fc.nat({ max: LISTS.length - 1 }), times: fc.constantFrom(1, 1, 1, 20) }),
  { minLength: 60, maxLength: 80 },
);

const walk: fc.Arbitrary<Walk> = fc.record({
  readers: fc.array(reader, { minLength: 3, maxLength: 3 }),
  commits: fc.array(commit, { minLength: 30, maxLength: 50 }),
  losses: fc.array(
    fc.record({
      pauseMs: fc.integer({ min: 50, max: 400 }),
      kind: fc.constantFrom<Loss['kind'][]>('listener', 'connections', 'silence', 'refusal'),
      lastsMs: fc.integer({ min: 10, max: 500 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

// The pauses are the walk itself, not a wait for something.
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const endConnections = ({ sql }: TestDatabase, pattern: string): Promise<unknown> =>
  sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'vitrine' and query ~* $1`,
    [pattern],
  );

const runCommits = async (database: TestDatabase, record: CommitRecord, commits: readonly Commit[]): Promise<void> => {
  let cents = 0;
  for (const step of commits) {
    await pause(step.pauseMs);
    if (step.kind === 'prices') {
      cents += 1;
      await record.commitPrices(new Map(PRODUCT_IDS.slice(0, step.count).map((id) => [id, cents])));
    } else if (step.kind === 'notice') await record.insertNotice(step.startsInMs, step.lastsMs);
    else if (step.kind === 'withdrawal') await record.withdrawNotice();
    else {
      await database.sql(
        `do $$ begin update product set price = 999999; insert into notice (title, content) values ('Never', ''); raise 'no'; exception when others then null; end $$`,
      );
    }
  }
};

const runLosses = async (
  database: TestDatabase,
  wire: Wire,
  record: CommitRecord,
  losses: readonly Loss[],
): Promise<void> => {
  for (const { pauseMs, kind, lastsMs } of losses) {
    await pause(pauseMs);
    if (kind === 'listener') await endConnections(database, 'listen|clock_timestamp');
    else {
      const giveBack = record.loseDatabase();
      if (kind === 'connections') await endConnections(database, '');
      else {
        if (kind === 'silence') wire.freeze();
        else await wire.refuse();
        await pause(lastsMs);
        await wire.restore();
      }
      giveBack();
    }
  }
};

const runReader = async (
  gateway: TestGateway,
  record: CommitRecord,
  steps: Walk['readers'][number],
  faults: string[],
): Promise<void> => {
  for (const { pauseMs, list, times } of steps) {
    await pause(pauseMs);
    const { request, lists } = LISTS[list] ?? { request: LISTS[0]?.request, lists: [] };
    if (!request) continue;
    const sentMs = performance.now();
    const answers: CachedResponse[] = await askAll(
      gateway,
      Array.from({ length: times }, () => request),
    );
    const receivedMs = performance.now();
    for (const answer of answers) {
      const fault = record.faultOf({ lists, sentMs, receivedMs, answer });
      if (fault) faults.push(`${request[1]} at ${sentMs}: ${fault}`);
    }
  }
};

const untilRecovered = (gateway: TestGateway): Promise<void> =>
  vi.waitFor(
    async () => {
      for (const { status, headers } of await askAll(
        gateway,
        LISTS.map(({ request }) => request),
      )) {
        if (status !== 200 || headers['cache-status'] === STALE)
          throw new Error(`${status} ${headers['cache-status']}`);
      }
    },
    { interval: 10, timeout: 2000 },
  );

describe.concurrent('whatever is read, committed and lost meanwhile, no answer misses a commit older than the bound, nor shows a notice out of its time', {
  timeout: 120_000,
}, () => {
  test.for([
    { FRESHNESS_MS: '0' },
    { FRESHNESS_MS: '100' },
    { FRESHNESS_MS: '100', CACHE_MAX_MB: '0' },
    { FRESHNESS_MS: '20', STALE_IF_ERROR_S: '0' },
  ])('%j', async (environment, { expect }) => {
    await using database = await createTestDatabase();
    await using wire = await wireTo(database);
    await using gateway = await createTestGateway(wire, { DATABASE_TIMEOUT_MS: '1500', ...environment });
    const property = fc.asyncProperty(walk, async ({ readers, commits, losses }) => {
      await database.sql('truncate category, product, notice cascade');
      await database.sql(`insert into category (id, name, slug) values (1, 'C', 'c')`);
      await database.sql(
        `insert into product (id, category_id, name, slug, price, published_at) select n, 1, 'P', 'p' || n, 0, '2020-01-01Z' from generate_series(1, 3) n`,
      );
      const record = await startCommitRecord(database, PRODUCT_IDS, Number(environment.FRESHNESS_MS));
      await pause(Number(environment.FRESHNESS_MS));
      const faults: string[] = [];
      await Promise.all([
        ...readers.map((steps) => runReader(gateway, record, steps, faults)),
        runCommits(database, record, commits),
        runLosses(database, wire, record, losses),
      ]);
      expect(faults.slice(0, 5)).toEqual([]);
      await untilRecovered(gateway);
    });
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  });
});
