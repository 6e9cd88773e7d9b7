import { administer, type TestDatabase } from './database.ts';
import { wireTo } from './wire.ts';

export interface Outage extends AsyncDisposable {
  /** The database's URL for the gateway. */
  readonly url: string;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

type Database = Pick<TestDatabase, 'url'>;

/** The ways in which a database goes away. */
export const OUTAGES = {
  'that refuses connections': async (database: Database): Promise<Outage> => {
    const wire = await wireTo(database);
    return { ...wire, begin: wire.refuse, end: wire.restore };
  },
  'that takes connections and says nothing': async (database: Database): Promise<Outage> => {
    const wire = await wireTo(database);
    const begin = async (): Promise<void> => {
      wire.freeze();
      wire.cut();
    };
    return { ...wire, begin, end: wire.restore };
  },
  'that has fallen silent': async (database: Database): Promise<Outage> => {
    const wire = await wireTo(database);
    return { ...wire, begin: async () => wire.freeze(), end: wire.restore };
  },
  'that is shut to everybody': async (database: Database): Promise<Outage> => {
    let giveBack = async (): Promise<void> => {};
    const begin = async (): Promise<void> => {
      giveBack = await takeAway(database);
    };
    const end = (): Promise<void> => giveBack();
    return { url: database.url, begin, end, [Symbol.asyncDispose]: end };
  },
};

/** Takes the database away from everybody, the connections that are open included. The result gives it back. */
export const takeAway = async ({ url }: Database): Promise<() => Promise<void>> => {
  const name = new URL(url).pathname.slice(1);
  await administer(`alter database ${name} allow_connections false`);
  await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return () => administer(`alter database ${name} allow_connections true`);
};
