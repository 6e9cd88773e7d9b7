import pg from 'pg';
import { type DatabaseClient, SET_SESSION } from '../database/connection.ts';
import { hasCode } from '../database/failures.ts';
import { type CachedTable, type Change, readChange } from './tags.ts';

/** The answer to a heartbeat, in the database's milliseconds. */
export interface Heartbeat {
  readonly now: number;
  /** When each table next changes with time alone, in the tables' order: null for never. Undefined where they could not be asked. */
  readonly nextChanges?: readonly (number | null)[];
}

/** One round trip on a prepared connection, sent at once. Where tables are locked a second one is sent, and `onResent` called: that one counts. */
export type SendHeartbeat = (behindMs: number, onResent: () => void) => Promise<Heartbeat>;

/** Prepares a connection for notifications and heartbeats: every change is notified before the heartbeat that follows its commit returns. */
export type Listen = (client: DatabaseClient, onChange: (change: Change) => void) => Promise<SendHeartbeat>;

export const HEARTBEAT_TIMEOUT_MS = 1000;

/** A heartbeat does not wait for a locked table: while the lock is held, no commit changes when the table next changes with time alone. */
const LOCK_TIMEOUT_MS = 20;

const LOCK_NOT_AVAILABLE = '55P03';

const msOf = (timestamp: string): string => `extract(epoch from ${timestamp})::float8 * 1000`;

const BARE_HEARTBEAT_SQL = `select ${msOf('clock_timestamp()')} as now`;

/** Its parameter is how far our clock may be behind the database's: a time that is past there is still to come for some operations. */
const heartbeatSql = (tables: readonly CachedTable[]): string => {
  const after = `now() - $1::float8 * interval '1 millisecond'`;
  const nextChanges = tables.map(({ nextChangeSql }) => (nextChangeSql ? msOf(nextChangeSql(after)) : 'null'));
  return `${BARE_HEARTBEAT_SQL}, array[${nextChanges}]::float8[] as "nextChanges"`;
};

const CHANNEL = 'vitrine';

// A pooler may give the connection another session unnoticed, which is notified of nothing.
const IS_LISTENING = `exists (select from pg_listening_channels() as channel where channel = '${CHANNEL}') as "isListening"`;

// PostgreSQL drops notifications that all have read only when it is asked for this, or writes the next page of its queue.
// A queue that a listener has filled, which has gone since, would stay full, and every write would fail.
const TRIM_QUEUE = 'pg_notification_queue_usage()';

type ListenedHeartbeat = Heartbeat & {
  readonly isListening: boolean;
  /** In the order of the tables; null for what is no table, or not there. */
  readonly files: readonly (number | null)[];
  readonly oids: readonly (string | null)[];
};

/**
 * Reads the tables, by their oids, and the files that hold them. No trigger fires for a rewrite (`ALTER TABLE … USING`), nor for a table
 * that is renamed into the place of another, but the file changes. It costs a heartbeat 5 µs of 50, takes no lock and needs no rights.
 */
const filesSql = (tables: readonly CachedTable[]): string => {
  const names = tables.map(({ table }) => `to_regclass(${pg.escapeLiteral(pg.escapeIdentifier(table))})`);
  return `array[${names.map((name) => `pg_relation_filenode(${name})`)}] as files, array[${names.map((name) => `${name}::oid::text`)}] as oids`;
};

/** Another part that needs what this connection learns, and reads further columns with each heartbeat. */
export interface HeartbeatObserver {
  /** A connection was opened; nothing is trusted yet. @returns the further columns, in SQL */
  readonly onConnect: (client: pg.Client) => Promise<readonly string[]>;
  readonly onChange: () => void;
  /** A heartbeat is being sent. @returns what takes its row */
  readonly onSend: () => (row: object) => void;
}

/**
 * Changes as the triggers notify them, and those that fire no trigger as the heartbeats find them. A heartbeat returns after every notification of a
 * commit that was acknowledged before it was sent: `NOTIFY` is delivered at commit, in order
 * (https://www.postgresql.org/docs/current/sql-notify.html).
 */
export const createListen =
  (tables: readonly CachedTable[], observer?: HeartbeatObserver): Listen =>
  async (client, onChange) => {
    const observed = observer ? await observer.onConnect(client) : [];
    const columns = [IS_LISTENING, TRIM_QUEUE, filesSql(tables), ...observed].join(', ');
    const heartbeat = { name: 'vitrine_beat', text: `${heartbeatSql(tables)}, ${columns}` };
    const bareHeartbeat = { name: 'vitrine_bare_beat', text: `${BARE_HEARTBEAT_SQL}, ${columns}` };

    const change = (what: Change): void => {
      observer?.onChange();
      onChange(what);
    };

    let found: Pick<ListenedHeartbeat, 'files' | 'oids'> = { files: [], oids: [] };
    const oidOf = (table: string): string | undefined =>
      found.oids[tables.findIndex((each) => each.table === table)] ?? undefined;
    client.on('notification', ({ payload = '' }) => {
      const notified = readChange(payload, tables, oidOf);
      if (notified) change(notified);
    });
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; ${SET_SESSION}; listen ${CHANNEL}`);
    // Before anything that is read is kept: any change from here on is found.
    found = (await client.query<typeof found>(`select ${filesSql(tables)}`)).rows[0] ?? found;

    return async (behindMs, onResent) => {
      let onRow = observer?.onSend();
      const sent = client.query<ListenedHeartbeat>({ ...heartbeat, values: [behindMs] });
      const { rows } = await sent.catch((error: unknown) => {
        if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
        onResent();
        onRow = observer?.onSend();
        return client.query<ListenedHeartbeat>(bareHeartbeat);
      });
      const [row] = rows;
      if (!row?.isListening) throw new Error('the session is another one, which does not listen');
      // Notifications of a table that has taken the place of another were ignored until now, because its oid was not known.
      for (const [index, { table }] of tables.entries())
        if (row.files[index] !== found.files[index] || row.oids[index] !== found.oids[index]) change({ table });
      found = row;
      onRow?.(row);
      return row;
    };
  };
