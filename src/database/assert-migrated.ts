import type { ClientBase, Pool } from 'pg';
import { OperatorError } from '../errors.ts';
import { readMigrationStatus } from './migrations.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

/** @throws OperatorError that says what to run, unless the database is there and every migration of this version is applied */
export const assertMigrated = async (pool: ClientBase | Pool): Promise<void> => {
  const { pending } = await readMigrationStatus(pool).catch((error: Error) => {
    if (error instanceof OperatorError || !isDatabaseUnavailable(error)) throw error;
    throw new OperatorError(`The database cannot be reached: ${error.message || error.name}. Check DATABASE_URL.`);
  });
  if (pending.length === 0) return;
  throw new OperatorError(
    `The database lags behind this version. Run "npx vitrine migrate" first; it would apply:\n  ${pending.join('\n  ')}`,
  );
};
