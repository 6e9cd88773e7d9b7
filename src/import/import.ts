import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { DatabaseClient } from '../database/client.ts';
import { connectionConfig } from '../database/connection.ts';
import { isDatabaseUnavailable, messageOf } from '../database/failures.ts';
import { assertMigrated } from '../database/migrations/status.ts';
import { migrateEmbedded, type OpenOptions, openOrJoinDatabase } from '../database/open.ts';
import { assertOwnSession } from '../database/pooler.ts';
import { OperatorError } from '../errors.ts';
import { visible } from '../observability/redaction.ts';
import { type Imported, importFile } from './file.ts';
import { formatNamed, formatsOf } from './formats/formats.ts';
import type { ImportKind } from './kind.ts';
import { createProgress, createRejects } from './progress.ts';
import { type Fault, showValue } from './record.ts';
import { openSource } from './source/source.ts';
import { UnknownOutcomeError } from './write/stage.ts';

export interface RunOptions {
  readonly config: OpenOptions;
  readonly log: Logger;
  readonly kinds: readonly ImportKind[];
  /** Files in their order; `-` is standard input. */
  readonly paths: readonly string[];
  readonly formatName: string | undefined;
  readonly currency: string | undefined;
  readonly batchRows: number | undefined;
  readonly isDryRun: boolean;
  readonly rejectsPath: string;
}

export interface Outcome {
  readonly rejected: number;
  /** Rows that are in the catalogue now, or were already; a dry run's would be. */
  readonly taken: number;
}

/** One import at a time: two would write the same notices twice. */
const IMPORT_LOCK = 72_707_370;
const LOCK_POLL_MS = 200;

// The role's own limits are for requests. A row that the back office holds is waited for, but not for ever.
const SESSION = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = '60s'`;

/** Imports files one after the other. @throws OperatorError for the first that cannot be imported; those before it are in */
export const runImport = async (options: RunOptions): Promise<Outcome> => {
  const { config, log, kinds, paths, formatName, isDryRun, rejectsPath } = options;
  // Every file, before the first is imported.
  const sources = await Promise.all(paths.map(openSource));
  const format = formatName === undefined ? undefined : formatNamed(formatsOf(kinds), formatName);
  const progress = createProgress(process.stderr);
  const rejects = createRejects(rejectsPath);
  // Until then a signal just ends the process, and an embedded server that it has started with it.
  const database = await openOrJoinDatabase(config, log);
  const aborting = interruptible();
  let file = 'anything';
  let taken = 0;
  let client: pg.Client | undefined;
  try {
    if (database.isStarted) await migrateEmbedded(database, log);
    client = await connect(database.url, log, aborting.signal);
    if (isDryRun) await client.query('begin');
    for (const source of sources) {
      file = source.name;
      const imported = await importFile({
        ...options,
        client,
        source,
        format,
        isInTransaction: isDryRun,
        rejectCount: rejects.rowCount,
        onFault: (fault) => {
          rejects.add(source.name, fault);
          if (rejects.rowCount() > SHOWN_FAULTS) return;
          progress.clear();
          reportFault(source.name, fault);
        },
        progress,
        signal: aborting.signal,
      });
      progress.clear();
      reportFile(source.name, imported, isDryRun);
      taken += imported.created + imported.changed + imported.unchanged;
    }
    if (isDryRun) await client.query('rollback');
    return { rejected: rejects.rowCount(), taken };
  } catch (error) {
    progress.clear();
    throw explain(error, {
      file,
      wasInterrupted: aborting.signal.aborted,
      hasBatches: options.batchRows !== undefined,
    });
  } finally {
    aborting.stop();
    rejects.close();
    if (rejects.isWritten()) reportRejects(rejects.rowCount(), rejectsPath);
    await client?.end().catch(() => undefined);
    await database.close();
  }
};

/** So many faults are told on the spot; all are in the file. */
const SHOWN_FAULTS = 5;

const connect = async (url: string, log: Logger, signal: AbortSignal): Promise<DatabaseClient> => {
  const client = new DatabaseClient({
    ...connectionConfig(url),
    application_name: 'vitrine import',
    connectionTimeoutMillis: 10_000,
  });
  // The statement under way tells it too.
  client.on('error', () => {});
  // The server takes back what was not committed. A polite end would wait for the statement under way.
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
    if (!isWaiting) log.info('another import is running on this database, waiting for it');
    await delay(LOCK_POLL_MS, undefined, { signal });
  }
};

/** Ctrl-C stops the import in good order; a second one ends the process. */
const interruptible = () => {
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

interface Circumstances {
  readonly file: string;
  readonly wasInterrupted: boolean;
  readonly hasBatches: boolean;
}

const explain = (error: unknown, { file, wasInterrupted, hasBatches }: Circumstances): unknown => {
  const rest = hasBatches
    ? `The batches of ${file} that were committed are in; run it again to go on`
    : `Nothing of ${file} is in`;
  if (error instanceof UnknownOutcomeError) {
    const advice = `Whether ${file} is in is not known. Run it again: what is in already is found, and not written twice`;
    return new OperatorError(`The database gave way while it was asked to commit: ${error.message}. ${advice}.`, {
      cause: error,
    });
  }
  if (wasInterrupted) return new OperatorError(`Interrupted. ${rest}.`);
  if (error instanceof OperatorError) return error;
  if (isDatabaseUnavailable(error))
    return new OperatorError(`The database gave way: ${messageOf(error)}. ${rest}.`, { cause: error });
  if (error instanceof pg.DatabaseError) {
    return new OperatorError(`The database refuses: ${messageOf(error)}. ${rest}.${remedyOf(error)}`, { cause: error });
  }
  return error;
};

const remedyOf = ({ code }: pg.DatabaseError): string =>
  code === '42501' ? ' An import needs the role that owns the tables, and leave to create temporary ones.' : '';

/** A fault, as a line for whoever watches. */
const reportFault = (source: string, { line, column, value, reason }: Fault): void => {
  const place = `${source}:${line}${column ? `, ${column}` : ''}`;
  const shown = value ? ` (${JSON.stringify(showValue(value)).slice(0, MAX_SHOWN)})` : '';
  console.error(visible(`${place}: ${reason}${shown}`));
};

const MAX_SHOWN = 80;

/** What has become of a file. */
const reportFile = (source: string, imported: Imported, isDryRun: boolean): void => {
  const { kind, format, container, created, changed, unchanged, createdCategories, unusedColumns } = imported;
  const counts = `${created} new, ${changed} changed, ${unchanged} unchanged`;
  const categories =
    createdCategories > 0 ? `; ${createdCategories} ${createdCategories === 1 ? 'category' : 'categories'} made` : '';
  if (unusedColumns.length > 0) console.error(visible(`${source}: not used: ${unusedColumns.join(', ')}`));
  const trial = isDryRun ? 'dry run, nothing is kept: ' : '';
  console.log(`${source}: ${trial}${kind.plural} (${format.name}, ${container}): ${counts}${categories}`);
};

const reportRejects = (rows: number, path: string): void => {
  console.error(`${rows} ${rows === 1 ? 'row was' : 'rows were'} rejected: see ${path}`);
};
