import pg from 'pg';
import { inject } from 'vitest';
import { seedDemoCatalogue } from '../../src/import/demo.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { administer, createTestDatabase, emptyTemplate, type TestDatabase, urlOf } from './database.ts';
import { openSession } from './session.ts';

/** To import the catalogue takes eight tenths of a second of processor time, and to copy it a twentieth. */
const makeTemplate = async (name: string): Promise<void> => {
  // Until the session ends, other processes wait here.
  await using session = await openSession({ url: urlOf('postgres') });
  await session.query('select pg_advisory_lock(1)');
  const { rows } = await session.query('select from pg_database where datname = $1', [name]);
  if (rows.length > 0) return;
  const draft = `${name}_draft`;
  await administer(`create database ${draft} template ${emptyTemplate()}`);
  const client = new pg.Client(urlOf(draft));
  await client.connect();
  await seedDemoCatalogue(client, IMPORT_KINDS);
  await client.end();
  await administer(`alter database ${draft} rename to ${name}`);
};

let making: Promise<void> | undefined;

/** A database of its own with the demo catalogue, which the first test of a run imports. */
export const createDemoDatabase = async (): Promise<TestDatabase> => {
  const template = inject('demoTemplate');
  making ??= makeTemplate(template);
  await making;
  return createTestDatabase({ template });
};
