import { readFile } from 'node:fs/promises';
import type { ClientBase } from 'pg';
import { createPrismaOn } from '../database/pool.ts';
import type { ImportKind } from './kind.ts';

/** The demo catalogue's files, in the importer's own formats. New rows go last, so that ids stay the same on every new database. */
const FOLDER = new URL('../../prisma/demo/', import.meta.url);
const FILES = ['categories', 'kitchen-and-table', 'home-and-study', 'outdoors', 'notices'];

/** What the files take for the present: seeding moves each of their times as far as the database's clock is from here. */
const PRESENT_MS = Date.parse('2026-11-20T09:00:00Z');

/** How many rows of each kind there are. */
export type SeedCounts = { readonly categories: number; readonly products: number; readonly notices: number };

/** Thrown when the demo catalogue was to be written over rows that are there already. */
export class CatalogueNotEmptyError extends Error {
  override readonly name = 'CatalogueNotEmptyError';

  /** @param found the rows that were in the way */
  constructor({ categories, products, notices }: SeedCounts) {
    super(
      'seeding only fills an empty database, and this one holds rows already ' +
        `(categories: ${categories}, products: ${products}, notices: ${notices})`,
    );
  }
}

/**
 * Whether there is not one category, product or notice, so that seeding would succeed. Every start on an embedded database asks this, and
 * the first query of a Prisma client costs 109 ms of CPU and 29 MB (Node 24, two cores), which most starts need not spend before they listen.
 */
export const isCatalogueEmpty = async (client: ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ empty: boolean }>(
    `select not (exists (select from category) or exists (select from product) or exists (select from notice)) as empty`,
  );
  return rows[0]?.empty === true;
};

/**
 * Imports the demo catalogue into an empty database, all of it or nothing, in a transaction of its own.
 *
 * @param client a connected client with no transaction open, and no `query_timeout`
 * @param kinds those of categories, products and notices
 * @returns the rows written
 * @throws CatalogueNotEmptyError when any of the three tables holds a row; nothing is changed then
 */
export const seedDemoCatalogue = async (client: ClientBase, kinds: readonly ImportKind[]): Promise<SeedCounts> => {
  await client.query('begin');
  try {
    // Conflicts with itself and with every writer, not with readers: a second seed waits here, then finds rows.
    await client.query('lock table category, product, notice in share row exclusive mode');
    if (!(await isCatalogueEmpty(client))) throw new CatalogueNotEmptyError(await countRows(client));
    const counts = { categories: 0, products: 0, notices: 0 };
    const { rows } = await client.query<{ now: Date }>('select now()');
    for (const name of FILES) {
      const { kind, created } = await importDemoFile(client, kinds, name, rows[0]?.now ?? new Date());
      counts[kind.plural as keyof SeedCounts] += created;
    }
    await client.query('commit');
    return counts;
  } catch (error) {
    // A client that cannot roll back has lost its connection, and the server has rolled back: the cause says more.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
};

const countRows = async (client: ClientBase): Promise<SeedCounts> => {
  const { category, product, notice } = await createPrismaOn(client);
  return { categories: await category.count(), products: await product.count(), notices: await notice.count() };
};

const importDemoFile = async (client: ClientBase, kinds: readonly ImportKind[], name: string, now: Date) => {
  // Every start on an embedded database asks whether it is empty; only the first needs the importer.
  const { importFile } = await import('./file.ts');
  const text = Buffer.from(atPresent(await readFile(new URL(`${name}.json`, FOLDER), 'utf8'), now));
  return importFile({
    client,
    kinds,
    source: {
      name,
      sizeBytes: text.length,
      readBytes: () => text.length,
      blocks: async function* () {
        yield text;
      },
    },
    isInTransaction: true,
    onFault: ({ column, value, reason }) => {
      throw new Error(`prisma/demo/${name}.json: ${column} ${reason} (${value})`);
    },
  });
};

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:]+Z$/;

interface DemoRow {
  readonly publishedAt?: string;
  readonly startsAt?: string;
}

/** A file with its times moved. Each row was written when it first showed, or now where that is still to come. */
const atPresent = (text: string, now: Date): string => {
  const rows: DemoRow[] = JSON.parse(text, (_, value) =>
    MOMENT.test(value) ? new Date(Date.parse(value) - PRESENT_MS + now.getTime()).toISOString() : value,
  );
  return JSON.stringify(
    rows.map((row) => {
      const [writtenAt] = [row.publishedAt ?? row.startsAt ?? now.toISOString(), now.toISOString()].sort();
      return { ...row, createdAt: writtenAt, updatedAt: writtenAt };
    }),
  );
};
