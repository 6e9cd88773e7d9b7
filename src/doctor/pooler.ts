import { findPooling, keepsStatements } from '../database/pooling.ts';
import { hasStatementTimeout } from '../database/route.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** What stands between here and the database, and whether the gateway is told how to live with it. */
export const checkPooler: Check = async ({ client, config }) => {
  const pooling = await findPooling(client);
  if (pooling === 'none') return [ok('pooler', 'none between here and the database')];
  if (pooling === 'session') return [ok('pooler', 'in session mode: each connection has a session of its own')];

  if (config.preparedStatements === 'on' && !(await keepsStatements(client))) {
    const remedy = 'Leave PREPARED_STATEMENTS out, or set max_prepared_statements in PgBouncer 1.21 or newer.';
    return [fail('pooler', 'in transaction mode, and loses prepared statements: PREPARED_STATEMENTS=on', remedy)];
  }
  if (await hasStatementTimeout(client))
    return [ok('pooler', 'in transaction mode: each transaction may have another session')];
  return [
    warn(
      'pooler',
      'in transaction mode, where the gateway can set no statement_timeout: statements that it has given up go on',
      `Let the owner run "alter role … set statement_timeout = '${config.databaseTimeoutMs}ms'".`,
    ),
  ];
};
