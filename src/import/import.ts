import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { DatabaseClient } from '../database/client.ts';
import { connectionConfig } from '../database/connection.ts';
import { isDatabaseUnavailable, messageOf } from '../database/failures.ts';
import { analyzeTables } from '../database/migrations/apply.ts';
import { assertMigrated } from '../database/migrations/status.ts';
import { migrateEmbedded, type OpenOptions, openOrJoinDatabase } from '../database/open.ts';
import { assertOwnSession } from '../database/pooler.ts';
import { OperatorError } from '../errors.ts';
import { visible } from '../observability/log.ts';
import { SOME } from './fields/stock.ts';
import { type Imported, type ImportOptions, importFile } from './file.ts';
import { createProgress } from './progress.ts';
import { startPrune } from './prune.ts';
import { type Fault, showValue } from './record.ts';
import { createRejects } from './rejects.ts';
import { openSource } from './source/source.ts';
import { commit, UnknownOutcomeError } from './write/transaction.ts';

export interface RunOptions
  extends Pick<
    ImportOptions,
    | 'kinds'
    | 'format'
    | 'map'
    | 'key'
    | 'currency'
    | 'batchRows'
    | 'decimal'
    | 'html'
    | 'stock'
    | 'category'
    | 'germanSlugs'
    | 'listSeparator'
    | 'pathSeparator'
    | 'headerLine'
  > {
  readonly config: OpenOptions;
  readonly log: Logger;
  /** Files in their order; `-` is standard input. */
  readonly paths: readonly string[];
  readonly isDryRun: boolean;
  /** Takes products off sale that no file has. */
  readonly isPruning?: boolean;
  /** Agrees beforehand to take many off sale. */
  readonly isAgreed?: boolean;
  readonly rejectsPath: string;
}

export interface Outcome {
  readonly rejected: number;
  /** Rows that are in the catalogue now; after a dry run, those that would be. */
  readonly imported: number;
}

/** More faults of a run are only in the file of rejects. */
const MAX_PRINTED_FAULTS = 5;

/** Imports files one after the other. @throws OperatorError for the first that cannot be imported; those before it stay imported */
export const runImport = async (options: RunOptions): Promise<Outcome> => {
  const { config, log, paths, isDryRun, isPruning = false, rejectsPath } = options;
  if (isPruning && options.batchRows !== undefined)
    throw new OperatorError('--prune is not for --batch: its changes are one transaction.');
  // What no file has is known only after the last one.
  const isOneTransaction = isDryRun || isPruning;
  // All files are opened first, so that a wrong name is reported before anything is imported.
  const sources = await Promise.all(paths.map(openSource));
  const rejects = createRejects(rejectsPath);
  const progress = createProgress(process.stderr, rejects.rowCount);
  // Until here, a signal ends the process, and an embedded server that it has started.
  const database = await openOrJoinDatabase(config, log);
  const interruption = listenForSignals();
  let file: string | undefined;
  let imported = 0;
  let client: pg.Client | undefined;
  try {
    if (database.isStarted) await migrateEmbedded(database, log);
    client = await connect(database.url, log, interruption.signal);
    if (isOneTransaction) await client.query('begin');
    const prune = isPruning
      ? await startPrune({ ...options, client, canAsk: canAsk(paths), signal: interruption.signal })
      : undefined;
    const tables = new Set<string>();
    for (const source of sources) {
      file = source.name;
      const counts = await importFile({
        ...options,
        client,
        source,
        isInTransaction: isOneTransaction,
        onFault: (fault) => {
          rejects.add(source.name, fault);
          if (rejects.rowCount() > MAX_PRINTED_FAULTS) return;
          progress.clear();
          printFault(source.name, fault);
        },
        onProgress: progress.update,
        signal: interruption.signal,
      });
      progress.clear();
      printCounts(source.name, counts, options);
      imported += counts.created + counts.changed + counts.unchanged;
      tables.add(counts.kind.table);
    }
    await prune?.end({ rejected: rejects.rowCount(), tables });
    if (isDryRun) await client.query('rollback');
    else if (isOneTransaction) await commit(client);
    if (!isDryRun) await analyzeTables(client);
    return { rejected: rejects.rowCount(), imported };
  } catch (error) {
    progress.clear();
    const of = isOneTransaction ? undefined : file;
    throw explain(error, importedOf(of, options.batchRows !== undefined), interruption.signal.aborted);
  } finally {
    interruption.stop();
    rejects.close();
    const count = rejects.rowCount();
    if (count > 0) console.error(`${count} ${count === 1 ? 'row was' : 'rows were'} rejected: see ${rejectsPath}`);
    await client?.end().catch(() => undefined);
    await database.close();
  }
};

/** Whether there is a person at the terminal. Standard input may be a file of the import. */
const canAsk = (paths: readonly string[]): boolean =>
  process.stdin.isTTY === true && process.stderr.isTTY === true && !paths.includes('-');

/** Aborts at the first signal; a second one ends the process. */
const listenForSignals = () => {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(2);
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
};

// A role's own timeouts are meant for requests. The import waits for a row that another writer has locked, but not for ever.
const SESSION = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '60s'; set jit = off`;

/** Imports wait for one another, because two at once would write the same notices twice. */
const IMPORT_LOCK = 72_707_370;
const LOCK_POLL_MS = 200;

const connect = async (url: string, log: Logger, signal: AbortSignal): Promise<DatabaseClient> => {
  const client = new DatabaseClient({
    ...connectionConfig(url),
    application_name: 'vitrine import',
    connectionTimeoutMillis: 10_000,
  });
  // The statement that is running fails too, and reports the error.
  client.on('error', () => {});
  // `end` would wait for the statement that is running. The server rolls back what was not committed.
  signal.addEventListener('abort', () => client.connection.stream.destroy());
  await client.connect();
  await client.query(SESSION);
  await assertOwnSession(client, 'An import needs');
  await assertMigrated(client);
  for (let isWaiting = false; ; isWaiting = true) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      IMPORT_LOCK,
    ]);
    if (rows[0]?.locked) return client;
    if (!isWaiting) log.info('waiting for another import on this database');
    await delay(LOCK_POLL_MS, undefined, { signal });
  }
};

/** What an import that failed has left in the catalogue. */
const importedOf = (file: string | undefined, hasBatches: boolean): string => {
  if (file === undefined) return 'Nothing was imported';
  return hasBatches
    ? `The committed batches of ${file} were imported: run it again for the rest`
    : `Nothing of ${file} was imported`;
};

/** An error with what the operator has to know and do. */
const explain = (cause: unknown, imported: string, wasInterrupted: boolean): unknown => {
  if (cause instanceof UnknownOutcomeError) {
    const advice =
      'It is unknown whether it was committed. Run the import again: rows that are stored are not written twice';
    return new OperatorError(`The connection was lost during the commit: ${cause.message}. ${advice}.`, { cause });
  }
  if (wasInterrupted) return new OperatorError(`Interrupted. ${imported}.`);
  if (cause instanceof OperatorError) return cause;
  if (isDatabaseUnavailable(cause)) {
    return new OperatorError(`The database became unavailable: ${messageOf(cause)}. ${imported}.`, { cause });
  }
  if (!(cause instanceof pg.DatabaseError)) return cause;
  const isForbidden = cause.code === '42501';
  const remedy = isForbidden ? ' An import needs the role that owns the tables, with the TEMPORARY privilege.' : '';
  return new OperatorError(`The database refused: ${messageOf(cause)}. ${imported}.${remedy}`, { cause });
};

const MAX_PRINTED_CHARACTERS = 80;

const printFault = (source: string, { line, record, column, value, reason }: Fault): void => {
  const place = [`${source}:${line}`, record && `record ${record}`, column].filter(Boolean).join(', ');
  const shown = value ? ` (${JSON.stringify(showValue(value)).slice(0, MAX_PRINTED_CHARACTERS)})` : '';
  console.error(visible(`${place}: ${reason}${shown}`));
};

const printCounts = (source: string, imported: Imported, { isDryRun, stock }: RunOptions): void => {
  const { kind, format, container, created, changed, unchanged, createdCategories, assumed, unusedColumns } = imported;
  if (unusedColumns.length > 0) console.error(visible(`${source}: columns not used: ${unusedColumns.join(', ')}`));
  if (assumed > 0 && stock === undefined) {
    const products = assumed === 1 ? '1 new product has' : `${assumed} new products have`;
    console.error(`${source}: ${products} no stock, and ${SOME} piece is assumed: say how many with --stock`);
  }
  const dryRun = isDryRun ? 'dry run, nothing is stored: ' : '';
  const counts = `${created} new, ${changed} changed, ${unchanged} unchanged`;
  const categories = createdCategories === 1 ? '1 category' : `${createdCategories} categories`;
  const alsoCreated = createdCategories > 0 ? `; ${categories} created` : '';
  console.log(`${source}: ${dryRun}${kind.plural} (${format.name}, ${container}): ${counts}${alsoCreated}`);
};
