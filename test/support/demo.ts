import pg from 'pg';
import { seedDemoCatalogue } from '../../src/import/demo.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** A database of its own with the demo catalogue. */
export const createDemoDatabase = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await seedDemoCatalogue(client, IMPORT_KINDS);
  await client.end();
  return database;
};
