import pg from 'pg';
import type { TestDatabase } from './database.ts';
import { linkTo } from './rest-database-link.ts';
import { wireTo } from './wire.ts';

export interface Outage extends AsyncDisposable {
  /** The database's URL for the gateway. */
  readonly url: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** The ways in which a database goes away. */
export const OUTAGES = {
  'that refuses connections': async ({ url }: TestDatabase): Promise<Outage> => {
    const link = await linkTo(url);
    return { ...link, begin: () => link.cut(), end: link.restore };
  },
  'that takes connections and says nothing': async ({ url }: TestDatabase): Promise<Outage> => {
    const link = await linkTo(url);
    return { ...link, begin: () => link.cut({ silent: true }), end: link.restore };
  },
  'that has fallen silent': async (database: TestDatabase): Promise<Outage> => {
    const wire = await wireTo(database);
    return { ...wire, begin: async () => wire.freeze(), end: async () => wire.thaw() };
  },
  'that is shut to everybody': async (database: TestDatabase): Promise<Outage> => {
    let giveBack = async (): Promise<void> => {};
    return {
      url: database.url,
      begin: async () => {
        giveBack = await takeAway(database);
      },
      end: () => giveBack(),
      [Symbol.asyncDispose]: () => giveBack(),
    };
  },
};

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
