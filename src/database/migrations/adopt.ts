import type pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { type MigrationFile, REPLACED, readMigrationRecords, recordOf } from './status.ts';

/** The first migration, which stands for those of {@link REPLACED}. */
const FIRST = '20261120000000_vitrine';

/** Of its script, the part that can be run again: what differs from the migrations that it replaced. */
const NOTIFICATIONS = /^-- Notifications: .*/ms;

/** What those left behind and it does not make. */
const DROP_REMAINS = 'drop function if exists vitrine_notify_all_products()';

/**
 * Brings a database that the replaced migrations made to where the first migration leaves an empty one, in one transaction.
 * @returns the migration that counts as applied from now on; undefined where there was nothing to do
 * @throws {OperatorError} where not exactly those were applied; nothing is changed then
 */
export const adoptReplaced = async (
  client: pg.ClientBase,
  files: readonly MigrationFile[],
): Promise<string | undefined> => {
  const first = files.find(({ name }) => name === FIRST);
  const records = await readMigrationRecords(client);
  if (!first || !records.some(({ name }) => REPLACED.has(name))) return undefined;
  const isApplied = ([name, checksum]: readonly [string, string]): boolean =>
    records.some((record) => record.name === name && record.checksum === checksum && record.finished);
  if (![...REPLACED].every(isApplied)) {
    throw new OperatorError(
      `This database was made by an early version before 0.1.0 and cannot be taken over, because its migrations are not exactly ${[...REPLACED.keys()].join(', ')}. Use another database (or DATA_DIR) and bring the rows over with "pg_dump --data-only"`,
    );
  }
  const replaced = [...REPLACED.keys()].map((name) => `'${name}'`).join(', ');
  // Statements that are sent together are one transaction.
  await client.query(`
    ${NOTIFICATIONS.exec(first.script)?.[0]};
    ${DROP_REMAINS};
    delete from _prisma_migrations where migration_name in (${replaced});
    ${recordOf(first)}`);
  return FIRST;
};
