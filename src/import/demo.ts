import { readFile } from 'node:fs/promises';
import type { ClientBase } from 'pg';
import { oneRow } from '../database/connection.ts';
import { analyzeTables } from '../database/migrations/apply.ts';
import { Languages } from '../language/languages.ts';
import type { ImportKind } from './kind.ts';

/** The demo catalogue's files, in native formats. New rows are added at the end, so that ids are the same on every new database. */
const FOLDER = new URL('../../prisma/demo/', import.meta.url);
const FILES = ['terms', 'categories', 'kitchen-and-table', 'home-and-study', 'outdoors', 'notices'];

/** Those that the files have texts in. */
const LANGUAGES = new Languages(['en', 'de', 'ja']);

/** The time at which the files' own times are right. Seeding moves them by the difference to the database's clock. */
const PRESENT_MS = Date.parse('2026-11-20T09:00:00Z');

/** How many rows of each kind. */
type SeedCounts = Record<'categories' | 'products' | 'notices', number>;

/**
 * Whether seeding would succeed. Every start on an embedded database asks this, in SQL because the first query of a Prisma client costs 109 ms
 * of CPU and 29 MB (Node 24, two cores).
 */
export const isCatalogueEmpty = async (client: ClientBase): Promise<boolean> => {
  const { empty } = await oneRow<{ empty: boolean }>(
    client,
    `select not (exists (select from category) or exists (select from product) or exists (select from notice)) as empty`,
  );
  return empty;
};

/**
 * Imports the demo catalogue into an empty database in one transaction.
 *
 * @param client a connected client with no transaction open, and no `query_timeout`
 * @param kinds the kinds of categories, products and notices
 * @returns the rows written; undefined if any of the three tables has a row, and nothing is changed
 */
export const seedDemoCatalogue = async (client: ClientBase, kinds: readonly ImportKind[]) => {
  await client.query('begin; set local jit = off');
  try {
    // This mode blocks writers, not readers. A second seed waits here, and then finds rows.
    await client.query('lock table category, product, notice in share row exclusive mode');
    if (!(await isCatalogueEmpty(client))) return void (await client.query('rollback'));
    const counts: SeedCounts = { categories: 0, products: 0, notices: 0 };
    const { now } = await oneRow<{ now: Date }>(client, 'select now()');
    for (const name of FILES) {
      const { kind, created } = await importDemoFile(client, kinds, name, now);
      if (kind.plural in counts) counts[kind.plural as keyof SeedCounts] += created;
    }
    await client.query('commit');
    await analyzeTables(client);
    return counts;
  } catch (error) {
    // If the connection is lost, the server rolls back by itself, and the first error says more.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
};

const importDemoFile = async (client: ClientBase, kinds: readonly ImportKind[], name: string, now: Date) => {
  // Every start on an embedded database asks whether it is empty; only the first one needs the importer.
  const [{ importFile }, { sourceOf }] = await Promise.all([import('./file.ts'), import('./source/source.ts')]);
  const file = `prisma/demo/${name}.json`;
  const text = movedTo(now, await readFile(new URL(`${name}.json`, FOLDER), 'utf8'));
  return importFile({
    client,
    kinds,
    source: sourceOf(file, Buffer.from(text)),
    languages: LANGUAGES,
    onFault: ({ column, value, reason }) => {
      throw new Error(`${file}: ${column} ${reason} (${value})`);
    },
  });
};

interface DemoRow {
  readonly publishedAt?: string;
  readonly startsAt?: string;
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:]+Z$/;

/** The file with its times moved. Each row was written when it was first shown, or now if that is still to come. */
const movedTo = (now: Date, text: string): string => {
  const rows: DemoRow[] = JSON.parse(text, (_, value) =>
    TIMESTAMP.test(value) ? new Date(Date.parse(value) - PRESENT_MS + now.getTime()).toISOString() : value,
  );
  return JSON.stringify(
    rows.map((row) => {
      const [writtenAt] = [row.publishedAt ?? row.startsAt ?? now.toISOString(), now.toISOString()].sort();
      return { ...row, createdAt: writtenAt, updatedAt: writtenAt };
    }),
  );
};
