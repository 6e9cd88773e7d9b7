import type pg from 'pg';
import { oneRow } from '../../src/database/connection.ts';
import { type Catalogue, catalogueOf } from '../database/catalogue.ts';
import { fillCatalogue } from '../database/fill.ts';
import { type KeptDatabase, LOAD_SETTINGS, openKeptDatabase } from '../database/kept-database.ts';

/** Notices that are over: what a shop has told in years, beside the few hundred in effect. */
const PAST_NOTICES = 95_000;

const PAST = `
  insert into notice (id, title, summary, content, starts_at, ends_at, created_at, updated_at)
  select 1000000 + i, 'Past notice ' || i, 'What was to be known', repeat('The shop told its customers what changed, and from when on. ', 6),
    starts_at, starts_at + interval '7 days', starts_at, starts_at
  from (select i, timestamptz '2015-01-01Z' + i * interval '1 hour' as starts_at from generate_series(1, ${PAST_NOTICES}) i) numbered`;

export interface GrowthDatabase extends KeptDatabase {
  readonly catalogue: Catalogue;
  readonly bytes: number;
}

export const openGrowthDatabase = async (
  serverUrl: string,
  products: number,
  log: (line: string) => void,
): Promise<GrowthDatabase> => {
  const catalogue = catalogueOf(products);
  const name = `vitrine_growth_${products}`;
  const fill = async (client: pg.Client, url: string): Promise<void> => {
    await client.query(PAST);
    await fillCatalogue(url, catalogue, LOAD_SETTINGS);
  };
  const database = await openKeptDatabase({ serverUrl, name, products, fill, log });
  const sql = 'select pg_database_size(current_database()) as bytes';
  const { bytes } = await oneRow<{ bytes: string }>(database.client, sql);
  return { ...database, catalogue, bytes: Number(bytes) };
};
