import { afterAll, beforeAll, beforeEach } from 'vitest';
import { connectionConfig, DatabaseClient } from '../../src/database/connection.ts';
import { type Imported, type ImportOptions, importFile } from '../../src/import/file.ts';
import { commit } from '../../src/import/import.ts';
import type { Fault } from '../../src/import/record.ts';
import { openSource } from '../../src/import/source/source.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { createTestDatabase, emptyTables, type TestDatabase } from './database.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Options = Partial<Omit<ImportOptions, 'client' | 'source' | 'kinds' | 'onFault'>>;

export interface TriedImport extends Imported {
  readonly faults: readonly Fault[];
}

const connect = async ({ url }: { readonly url: string }): Promise<DatabaseClient> => {
  const client = new DatabaseClient(connectionConfig(url));
  client.on('error', () => {});
  await client.connect();
  return client;
};

const importOver = async (
  client: DatabaseClient,
  text: string | Uint8Array,
  options: Options = {},
): Promise<TriedImport> => {
  await using folder = await temporaryFolder();
  const source = await openSource(await folder.write('catalogue', text));
  const faults: Fault[] = [];
  const onFault = (fault: Fault) => faults.push(fault);
  await client.query('begin');
  const imported = await importFile({ client, source, kinds: IMPORT_KINDS, onFault, ...options });
  await commit(client);
  return { ...imported, faults };
};

/** Imports a text, as a file, into a database. */
export const importInto = async (
  database: { readonly url: string },
  text: string | Uint8Array,
  options?: Options,
): Promise<TriedImport> => {
  const client = await connect(database);
  try {
    return await importOver(client, text, options);
  } finally {
    await client.end();
  }
};

interface ImportDatabase extends Pick<TestDatabase, 'sql'> {
  readonly url: () => string;
  readonly importText: (text: string | Uint8Array, options?: Options) => Promise<TriedImport>;
  /** The first column of each row. */
  readonly column: (query: string) => Promise<unknown[]>;
}

/** One database for a file of tests, emptied before each, and one connection for what they import: to open one takes as long as an import. */
export const useImportDatabase = (): ImportDatabase => {
  let database: TestDatabase;
  let idle: DatabaseClient | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => emptyTables(database));
  afterAll(async () => {
    await idle?.end();
    await database[Symbol.asyncDispose]();
  });
  return {
    url: () => database.url,
    sql: (text, values) => database.sql(text, values),
    importText: async (text, options) => {
      const client = idle ?? (await connect(database));
      idle = undefined;
      let done: DatabaseClient | undefined;
      try {
        const tried = await importOver(client, text, options);
        done = client;
        return tried;
      } finally {
        // What an import that failed has left goes with its session.
        if (done && !idle) idle = done;
        else await client.end();
      }
    },
    column: async (query) => (await database.sql(query)).map((row) => Object.values(row)[0]),
  };
};

/** Where rows are at fault, in the order of the file. */
export const linesOf = (faults: readonly Fault[]): readonly number[] =>
  faults.map(({ line }) => line).sort((one, other) => one - other);

export const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** A CSV file of products `p-1` to `p-<count>` in one category. */
export const productCsv = (count: number): string =>
  [
    'slug,name,category,price',
    ...Array.from({ length: count }, (_, index) => `p-${index + 1},P ${index + 1},Pans,${index}.50`),
  ].join('\n');
