import pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { withConnection } from '../client.ts';
import { connectionConfig } from '../connection.ts';
import { messageOf } from '../failures.ts';
import { MIGRATION_LOCK } from './apply.ts';
import { neededRights, type ServedTable } from './rights.ts';

const TIMEOUT_MS = 60_000;

const UNDEFINED_OBJECT = '42704';

/**
 * Gives a role the rights that serving needs, and takes none away.
 * @param url of the role that owns the tables
 * @throws OperatorError if there is no such role, or the tables belong to another
 */
export const grantServing = (url: string, role: string, tables: readonly ServedTable[]): Promise<void> =>
  withConnection(connectionConfig(url), TIMEOUT_MS, async (client) => {
    const name = pg.escapeIdentifier(role);
    const grants = [{ table: '_prisma_migrations', privilege: 'select' }, ...neededRights(tables)].map(
      ({ table, privilege }) => `grant ${privilege} on ${pg.escapeIdentifier(table)} to ${name};`,
    );
    try {
      // Two that grant on one table at once would fail. Everybody may use the schema `public`, which need not belong to this role.
      await client.query(`begin;
        select pg_advisory_xact_lock(${MIGRATION_LOCK});
        do $$ begin
          if not has_schema_privilege(${pg.escapeLiteral(role)}, current_schema, 'usage') then
            execute format('grant usage on schema %I to %I', current_schema, ${pg.escapeLiteral(role)});
          end if;
        end $$;
        ${grants.join('\n')}
        commit`);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (error.code === UNDEFINED_OBJECT)
        throw new OperatorError(
          `There is no role ${role} to grant to. Create it: create role ${name} login password '…'`,
        );
      throw new OperatorError(`Nothing was granted to ${role}: ${messageOf(error)}.`, { cause: error });
    }
  });
