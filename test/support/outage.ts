import pg from 'pg';
import type { TestDatabase } from './database.ts';

/** Takes the database away from everybody, the connections that are open included. The result gives it back. */
export const takeAway = async ({ url }: TestDatabase): Promise<() => Promise<void>> => {
  const elsewhere = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const name = new URL(url).pathname.slice(1);
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: elsewhere });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await administer(`alter database ${name} allow_connections false`);
  await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return () => administer(`alter database ${name} allow_connections true`);
};
