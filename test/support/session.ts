import pg from 'pg';
import { expect, vi } from 'vitest';
import type { TestDatabase } from './database.ts';

/** One connection of its own, for a transaction that stays open. */
export interface Session extends AsyncDisposable {
  readonly query: (text: string, values?: unknown[]) => Promise<pg.QueryResult>;
}

export const openSession = async ({ url }: { readonly url: string }): Promise<Session> => {
  const client = new pg.Client({ connectionString: url, application_name: 'back office' });
  client.on('error', () => {});
  await client.connect();
  return {
    query: (text, values) => client.query(text, values),
    [Symbol.asyncDispose]: () => client.end(),
  };
};

/** The gateway's connections that wait for a lock, once there are as many as expected. */
export const untilBlocked = async ({ sql }: Pick<TestDatabase, 'sql'>, connections = 1): Promise<number[]> => {
  let pids: number[] = [];
  const look = async (): Promise<void> => {
    const rows = await sql<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name = 'vitrine' and wait_event_type = 'Lock'`,
    );
    pids = rows.map(({ pid }) => pid);
    expect(pids).toHaveLength(connections);
  };
  // Tests that run side by side have an expect of their own each, and the common one does not poll for them.
  await vi.waitFor(look, { interval: 5, timeout: 30_000 });
  return pids;
};

/** Once as many of the gateway's connections have sent a statement that counts views, from now on: it is repeated while a notice is locked. */
export const untilViewsWait = async ({ sql }: Pick<TestDatabase, 'sql'>, connections = 1): Promise<void> => {
  const [now] = await sql<{ text: string }>('select clock_timestamp()::text as text');
  const look = async (): Promise<void> => {
    const rows = await sql(
      `select from pg_stat_activity where datname = current_database() and application_name = 'vitrine'
         and query like '%set view_count =%' and query_start > $1::timestamptz`,
      [now?.text],
    );
    expect(rows.length).toBeGreaterThanOrEqual(connections);
  };
  await vi.waitFor(look, { interval: 5, timeout: 30_000 });
};
