import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { makeDirectory } from '../program.ts';
import { type Catalogue, PRISMA_INDEXES } from './catalogue.ts';
import { fillCatalogue } from './fill.ts';
import { connect, databaseOn } from './kept-database.ts';

/** A database with the catalogue in it, of this run alone. */
interface BenchDatabase {
  readonly url: string;
  /** A connection for what is measured and checked beside the servers. */
  readonly client: pg.Client;
}

export interface BenchDatabases extends AsyncDisposable {
  /** With the indexes of the gateway, for all who write their SQL. */
  readonly shared: BenchDatabase;
  /** With {@link PRISMA_INDEXES}. */
  readonly prisma: BenchDatabase;
  /** As the first, for a server that is measured while products change. */
  readonly changing: BenchDatabase;
}

/** One of them. */
export type DatabaseName = Exclude<keyof BenchDatabases, keyof AsyncDisposable>;

interface Options {
  readonly catalogue: Catalogue;
  /** What is needed beside the shared one, which stands for the others. @default nothing */
  readonly needed?: ReadonlySet<DatabaseName>;
  /** A server on which databases may be made; undefined for the embedded one, in a temporary directory. */
  readonly serverUrl: string | undefined;
  readonly log: (line: string) => void;
}

export const openBenchDatabases = async ({ catalogue, needed, serverUrl, log }: Options): Promise<BenchDatabases> => {
  const startedMs = performance.now();
  await using cleanup = new AsyncDisposableStack();
  const server = serverUrl ?? (await startServerIn(undefined, cleanup));
  const name = `vitrine_bench_${randomBytes(4).toString('hex')}`;
  const sharedUrl = await createDatabase(server, name, '', cleanup);
  await applyMigrations({ url: sharedUrl, log: () => {} });
  await fillCatalogue(sharedUrl, catalogue);
  const copy = (own: DatabaseName): Promise<string> | undefined =>
    needed?.has(own) ? createDatabase(server, `${name}_${own}`, `template ${name}`, cleanup) : undefined;
  const prismaUrl = await copy('prisma');
  if (prismaUrl !== undefined) await runAll(prismaUrl, PRISMA_INDEXES);
  const changingUrl = await copy('changing');

  const open = async (url: string): Promise<BenchDatabase> => {
    // As a database in use has it: statistics, the visibility map that index-only scans need, and nothing left to write.
    await runAll(url, ['vacuum (analyze) category, product, product_words, notice', 'checkpoint']);
    const client = await connect(url);
    cleanup.defer(() => client.end());
    return { url, client };
  };
  const shared = await open(sharedUrl);
  const databases = {
    shared,
    prisma: prismaUrl === undefined ? shared : await open(prismaUrl),
    changing: changingUrl === undefined ? shared : await open(changingUrl),
  };
  log(`${catalogue.products} products in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  const opened = cleanup.move();
  return { ...databases, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};

const runAll = async (url: string, statements: readonly string[]): Promise<void> => {
  const client = await connect(url);
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

/** An embedded server, whose databases stay in their directory if there is one to keep them in. */
export const startServerIn = async (
  keptDir: string | undefined,
  cleanup: AsyncDisposableStack,
  settings: Record<string, string> = {},
): Promise<string> => {
  const dataDir = keptDir ?? (await makeDirectory('', cleanup));
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log: () => {}, settings });
  cleanup.defer(stop);
  return url;
};

const createDatabase = async (
  serverUrl: string,
  name: string,
  options: string,
  cleanup: AsyncDisposableStack,
): Promise<string> => {
  await runAll(serverUrl, [`create database ${name} ${options}`]);
  cleanup.defer(() => runAll(serverUrl, [`drop database ${name} with (force)`]));
  return databaseOn(serverUrl, name);
};
