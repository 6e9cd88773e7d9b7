import pg from 'pg';
import type { Logger } from 'pino';
import { connectionConfig, DatabaseClient, oneRow, SET_SESSION } from '../database/connection.ts';
import { hasCode, INSUFFICIENT_PRIVILEGE, isDatabaseUnavailable, messageOf } from '../database/failures.ts';
import { analyzeTables, applyMigrations } from '../database/migrations/apply.ts';
import { assertMigrated } from '../database/migrations/status.ts';
import { type OpenOptions, openOrJoinDatabase } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { type ImportOptions, importFile } from './file.ts';
import { Prune } from './prune.ts';
import { Report } from './report.ts';
import { openSource } from './source/source.ts';

type OfTheRun = 'client' | 'source' | 'prune' | 'onFault' | 'onWarning' | 'onProgress' | 'signal';

export interface RunOptions extends Omit<ImportOptions, OfTheRun> {
  readonly config: OpenOptions;
  readonly log: Logger;
  /** Files in their order; `-` is standard input. */
  readonly paths: readonly string[];
  readonly isDryRun: boolean;
  /** Whether the products that no file has are taken off sale after all files. */
  readonly isPruning?: boolean;
  /** Agrees beforehand to take many products off sale. */
  readonly isAgreed?: boolean;
  readonly rejectsPath: string;
}

export interface Outcome {
  readonly rejected: number;
  /** Rows that are in the catalogue now; after a dry run, those that would be. */
  readonly imported: number;
}

/** Imports files one after the other. @throws OperatorError for the first that cannot be imported; those before it stay imported */
export const runImport = async (options: RunOptions): Promise<Outcome> => {
  const { config, log, paths, isDryRun, isPruning = false } = options;
  // What no file has is known only after the last one.
  const isOneTransaction = isDryRun || isPruning;
  // All files are opened first, so that a wrong name is reported before anything is imported.
  const sources = await Promise.all(paths.map(openSource));
  const report = new Report(options);
  // Until here, a signal ends the process, and an embedded server that it has started.
  const database = await openOrJoinDatabase(config, log);
  const interruption = listenForSignals();
  const { signal } = interruption;
  let file: string | undefined;
  let imported = 0;
  let client: pg.Client | undefined;
  try {
    if (database.isEmbedded) await applyMigrations({ url: database.url, log: (line) => log.info(line) });
    client = await connect(database.url, log, signal);
    if (isOneTransaction) await client.query('begin');
    const prune = isPruning ? await Prune.begin({ ...options, client }) : undefined;
    for (const source of sources) {
      file = source.name;
      if (!isOneTransaction) await client.query('begin');
      const counts = await importFile({
        ...options,
        client,
        source,
        prune,
        onFault: (fault) => report.fault(source.name, fault),
        onWarning: (text) => report.warning(source.name, text),
        onProgress: (step, rows) => report.progress(`${step} ${source.name}`, rows),
        signal,
      });
      if (!isOneTransaction) await commit(client);
      report.counts(source.name, counts);
      imported += counts.created + counts.changed + counts.unchanged;
    }
    await prune?.end(report.rejected);
    if (isDryRun) await client.query('rollback');
    else if (isOneTransaction) await commit(client);
    if (!isDryRun) await analyzeTables(client);
    return { rejected: report.rejected, imported };
  } catch (error) {
    const of = isOneTransaction || file === undefined ? '' : ` of ${file}`;
    throw explain(error, `Nothing${of} was imported.`, signal.aborted);
  } finally {
    interruption.stop();
    report.close();
    await client?.end().catch(() => undefined);
    await database.close();
  }
};

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
const SESSION = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0; ${SET_SESSION}`;
const SET_LOCK_TIMEOUT = `set lock_timeout = '60s'`;

/** Imports wait for one another, because two at once would write the same notices twice. */
const TRY_LOCK = 'select pg_try_advisory_lock(72707370) as locked';
const LOCK = 'select pg_advisory_lock(72707370)';

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
  await assertMigrated(client);
  const { locked } = await oneRow<{ locked: boolean }>(client, TRY_LOCK);
  if (!locked) {
    log.info('waiting for another import on this database');
    await client.query(LOCK);
  }
  await client.query(SET_LOCK_TIMEOUT);
  return client;
};

/** @throws OperatorError if the connection is lost meanwhile: then nobody knows whether the rows are stored */
export const commit = async (client: pg.ClientBase): Promise<void> => {
  await client.query('commit').catch((cause: unknown) => {
    // An error of the server's is a refusal; any other leaves the outcome open.
    if (cause instanceof pg.DatabaseError) throw cause;
    const advice =
      'It is unknown whether it was committed. Run the import again: rows that are stored are not written twice';
    throw new OperatorError(`The connection was lost during the commit: ${messageOf(cause)}. ${advice}.`, { cause });
  });
};

const DEADLOCK = '40P01';

/** An error with what the operator has to know and do. @param imported what the import has left in the catalogue */
const explain = (cause: unknown, imported: string, wasInterrupted: boolean): unknown => {
  if (cause instanceof OperatorError) return cause;
  if (wasInterrupted) return new OperatorError(`Interrupted. ${imported}`);
  if (isDatabaseUnavailable(cause) && !hasCode(cause, DEADLOCK))
    return new OperatorError(`The database became unavailable: ${messageOf(cause)}. ${imported}`, { cause });
  if (!(cause instanceof pg.DatabaseError)) return cause;
  const remedy = hasCode(cause, INSUFFICIENT_PRIVILEGE)
    ? ' An import needs the role that owns the tables, with the TEMPORARY privilege.'
    : '';
  return new OperatorError(`The database refused: ${messageOf(cause)}. ${imported}${remedy}`, { cause });
};
