import pg from 'pg';
import { oneRow } from '../../src/database/connection.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { findPostmaster } from '../machine/process-usage.ts';

export interface KeptDatabase extends AsyncDisposable {
  readonly url: string;
  readonly client: pg.Client;
}

export const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

/** The server of a connection: its version, and its process when it runs on this machine. */
export const serverOf = async (client: pg.Client) => {
  const sql = `select pg_backend_pid() as pid, current_setting('server_version') as version`;
  const { pid, version } = await oneRow<{ pid: number; version: string }>(client, sql);
  return { version, postmaster: findPostmaster(pid) };
};

interface Options {
  readonly serverUrl: string;
  readonly name: string;
  readonly products: number;
  /** Fills tables whose products have no index, without triggers. */
  readonly fill: (client: pg.Client, url: string) => Promise<void>;
  /** Whether products can be searched: their words take longer than all indexes. @default true */
  readonly isSearched?: boolean;
  readonly log: (line: string) => void;
}

/** A large database on this server: the one that an earlier run has left there, or a new one. */
export const openKeptDatabase = async (options: Options): Promise<KeptDatabase> => {
  const { serverUrl, name, products, log } = options;
  const url = databaseOn(serverUrl, name);
  const server = await connect(serverUrl);
  try {
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Under another name until it is whole.
      const unfinished = `${name}_unfinished`;
      await server.query(`drop database if exists ${unfinished} with (force)`);
      await server.query(`create database ${unfinished}`);
      const startedMs = performance.now();
      await load(databaseOn(serverUrl, unfinished), options);
      await server.query(`alter database ${unfinished} rename to ${name}`);
      log(`${products} products loaded in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
    }
  } finally {
    await server.end();
  }
  const client = await connect(url);
  return { url, client, [Symbol.asyncDispose]: () => client.end() };
};

/** The URL of a database on a server. */
export const databaseOn = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** Of each connection that loads: without triggers. */
export const LOAD_SETTINGS = `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'`;

/** As the triggers do. */
const WRITE_WORDS = `insert into product_words (product_id, words, tags)
  select id, vitrine_search(name, brand, tags, subtitle, description), vitrine_tag_keys(tags) from product`;

/** Indexes last, for that is how millions of rows are loaded. */
const load = async (url: string, { fill, isSearched = true }: Options): Promise<void> => {
  await applyMigrations({ url, log: () => {} });
  const client = await connect(url);
  try {
    await client.query(LOAD_SETTINGS);
    const { rows: indexes } = await client.query<{ name: string; text: string }>(
      `select indexname as name, indexdef as text from pg_indexes
       where tablename in ('product', 'product_words', 'product_variant') and indexname not like '%_pkey'`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await fill(client, url);
    if (isSearched) await client.query(WRITE_WORDS);
    for (const { text } of indexes) await client.query(text);
    await client.query('vacuum (analyze) category, product, product_words, product_variant, notice');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
};
