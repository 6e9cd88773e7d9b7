import type { Config } from '../config/config.ts';
import { connectionConfig, hostsOf, withConnection } from '../database/connection.ts';
import { messageOf } from '../database/failures.ts';
import type { CheckedTable } from '../database/migrations/rights.ts';
import { OperatorError } from '../errors.ts';
import { type Check, type Finding, fail, ok } from './finding.ts';
import { checkLanguages } from './languages.ts';
import { checkClock, checkConnections, checkPooler, checkReplicas, checkServer } from './server.ts';
import {
  checkIndexes,
  checkMigrations,
  checkNotifications,
  checkPermissions,
  checkQueue,
  checkVariants,
  checkWords,
} from './tables.ts';

/** In the order in which one would correct them. Those after the migrations need the tables. */
const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ['server', checkServer],
  ['clock', checkClock],
  ['pooler', checkPooler],
  ['connections', checkConnections],
  ['replicas', checkReplicas],
  ['migrations', checkMigrations],
  ['permissions', checkPermissions],
  ['indexes', checkIndexes],
  ['words', checkWords],
  ['variants', checkVariants],
  ['languages', checkLanguages],
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
  const place = `${connection.database ?? ''} at ${hostsOf(url)}`;
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
  }).catch((error: unknown) => [fail('database', `${place} cannot be reached: ${messageOf(error)}`, remedyOf(error))]);
};

const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Is PostgreSQL running there, and does it listen on that port? Check DATABASE_URL.',
  ENOTFOUND: 'The host name is unknown here. Check DATABASE_URL, and the DNS of this machine.',
  EAI_AGAIN: 'The host name could not be looked up. Check DATABASE_URL, and the DNS of this machine.',
  '28P01': 'User or password is wrong. Check DATABASE_URL; special characters in a password are percent-encoded.',
  '28000': 'The server refuses connections of this kind from here. Check its pg_hba.conf, and sslmode in DATABASE_URL.',
  '3D000':
    'Create it (createdb), with --encoding UTF8 --template template0, or check the name at the end of DATABASE_URL.',
  '53300': 'All connections are taken. Raise max_connections, or close some.',
  '08P01':
    'A pooler lets no session begin with that: leave it out of DATABASE_URL, and let the role set it ("alter role … set …").',
  '57P03': 'It is starting or stopping. Try again in some seconds.',
};

const remedyOf = (error: unknown): string => {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  return REMEDIES[code] ?? 'Check DATABASE_URL, the network between, and the log of the server.';
};
