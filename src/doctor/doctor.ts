import type { Config } from '../config/config.ts';
import { connectionConfig, hostOf, withConnection } from '../database/connection.ts';
import { messageOf } from '../database/failures.ts';
import type { CheckedTable } from '../database/migrations/rights.ts';
import { OperatorError } from '../errors.ts';
import { type Check, type Finding, fail, ok } from './finding.ts';
import { checkConnections, checkPooler, checkReplicas, checkWritable } from './server.ts';
import {
  checkMigrations,
  checkNotifications,
  checkPermissions,
  checkQueue,
  checkVariants,
  checkWords,
} from './tables.ts';

/** In the order in which one would correct them. Those after the migrations need the tables. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['writable', checkWritable],
  ['pooler', checkPooler],
  ['connections', checkConnections],
  ['replicas', checkReplicas],
  ['migrations', checkMigrations],
  ['permissions', checkPermissions],
  ['words', checkWords],
  ['variants', checkVariants],
  ['queue', checkQueue],
  ['notifications', checkNotifications],
];

/** Examines a database as a gateway would use it. Changes nothing. Never throws for what it finds. */
export const examine = async (
  tables: readonly CheckedTable[],
  config: Config,
  url: string,
  instances: number,
): Promise<Finding[]> => {
  const connection = { ...connectionConfig(url), connectionTimeoutMillis: 5000, query_timeout: 10_000 };
  const place = `${connection.database ?? ''} at ${hostOf(url)}`;
  const startMs = performance.now();
  return withConnection(connection, undefined, async (client) => {
    const findings = [ok('database', `connected to ${place} in ${Math.round(performance.now() - startMs)} ms`)];
    for (const [name, check] of CHECKS) {
      const found = await check({ tables, config, url, client, instances }).catch((error: unknown) => {
        const message = error instanceof OperatorError ? error.message : `could not be checked: ${messageOf(error)}`;
        return [fail(name, message, 'Correct the cause, and run this again.')];
      });
      findings.push(...found);
      // Without the tables, all the rest would only say so again.
      if (name === 'migrations' && found.some(({ status }) => status === 'fail')) break;
    }
    return findings;
  }).catch((error: unknown) => {
    const remedy = 'Check DATABASE_URL, the network between, and the log and the pg_hba.conf of the server.';
    return [fail('database', `${place} cannot be reached: ${messageOf(error)}`, remedy)];
  });
};
