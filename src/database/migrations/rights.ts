import pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { connectionConfig, oneRow, withConnection } from '../connection.ts';
import { messageOf } from '../failures.ts';
import { takeLock } from './apply.ts';

/** A table, and the privileges on it that serving needs: `select`, `update (a_column)`. */
interface ServedTable {
  readonly table: string;
  readonly rights: readonly string[];
  /** Further tables that are read. @default none */
  readonly alsoReads?: readonly string[];
  /** Functions that reads and the checks of writes call. Everybody may call them, unless an operator takes that away. @default none */
  readonly functions?: readonly string[];
}

/** What the database must have for a table. The doctor checks the database, and a test the migrations. */
export interface CheckedTable extends ServedTable {
  /** Triggers that notify every change, and those that keep other tables. */
  readonly triggers: readonly string[];
}

/** The tables that `vitrine_watch` watches beside those that are known: of added models, or of plugins. */
export const readWatchedTables = async (
  client: pg.ClientBase | pg.Pool,
  known: readonly { readonly table: string }[],
): Promise<ServedTable[]> => {
  const { rows } = await client.query<{ table: string }>(
    `select relname as table from pg_class c where pg_table_is_visible(c.oid) and relname <> all ($1) and exists (
       select from pg_trigger where tgrelid = c.oid and tgname = 'vitrine_notify' and tgenabled in ('O', 'A'))
     order by relname`,
    [known.map(({ table }) => table)],
  );
  return rows.map(({ table }) => ({ table, rights: ['select'] }));
};

/** A privilege on a table or function, as `grant` writes it: `update (a_column) on`, `execute on function`. */
interface Right {
  readonly privilege: string;
  readonly name: string;
}

/** Every privilege that serving needs on the tables that are served, on those that are read besides, and on functions. */
const neededRights = (tables: readonly ServedTable[]): Right[] =>
  tables.flatMap(({ table, rights, alsoReads = [], functions = [] }) => [
    ...rights.map((right) => ({ privilege: `${right} on`, name: table })),
    ...alsoReads.map((name) => ({ privilege: 'select on', name })),
    ...functions.map((name) => ({ privilege: EXECUTE, name })),
  ]);

const EXECUTE = 'execute on function';

/** The role of this connection, and what serving needs that it has no right to: `select on product, notice`, a text for each privilege. */
export const missingRights = async (
  client: pg.ClientBase | pg.Pool,
  tables: readonly ServedTable[],
): Promise<{ role: string; missing: readonly string[] }> => {
  const { role, missing } = await oneRow<{ role: string; missing: Right[] }>(
    client,
    `select quote_ident(current_user) as role,
       (select coalesce(json_agg(json_build_object('privilege', privilege, 'name', name)), '[]')
        from json_to_recordset($1) w (privilege text, unquoted text), quote_ident(unquoted) name,
          regexp_match(privilege, '^([a-z]+)(?: [(]([a-z_]+)[)])? on') part
        where not case when privilege = '${EXECUTE}' then has_function_privilege(to_regproc(name), 'execute')
                       when part[2] is null then has_table_privilege(name, part[1])
                       else has_column_privilege(name, part[2], part[1]) end) as missing`,
    [JSON.stringify(neededRights(tables).map(({ privilege, name }) => ({ privilege, unquoted: name })))],
  );
  const byPrivilege = Map.groupBy(missing, ({ privilege }) => privilege);
  return {
    role,
    missing: [...byPrivilege].map(([privilege, of]) => `${privilege} ${of.map(({ name }) => name).join(', ')}`),
  };
};

/** @throws OperatorError with what to run, unless the role of this connection may do what serving needs */
export const assertServing = async (client: pg.ClientBase | pg.Pool, tables: readonly ServedTable[]): Promise<void> => {
  const { role, missing } = await missingRights(client, tables);
  if (missing.length === 0) return;
  const grants = missing.map((right) => `  grant ${right} to ${role};`).join('\n');
  throw new OperatorError(
    `${role} has no right to ${missing.join(' and ')}. Let the owner of the tables run "npx vitrine migrate --grant-to ${role}", or:\n${grants}`,
  );
};

const TIMEOUT_MS = 60_000;

const UNDEFINED_OBJECT = '42704';

/**
 * Gives a role the rights that serving needs, also on watched tables, and takes none away.
 * @param url of the role that owns the tables @param log is given a line if a migration is waited for
 * @throws OperatorError if there is no such role, or the tables belong to another
 */
export const grantServing = (
  url: string,
  role: string,
  tables: readonly ServedTable[],
  log: (line: string) => void,
): Promise<void> =>
  withConnection(connectionConfig(url), TIMEOUT_MS, async (client) => {
    // Two that grant on one table at once would fail; and a migration under way may make a table that is watched.
    await takeLock(client, TIMEOUT_MS, log);
    const name = pg.escapeIdentifier(role);
    const grants = neededRights([
      { table: '_prisma_migrations', rights: ['select'] },
      ...tables,
      ...(await readWatchedTables(client, tables)),
    ]).map((right) => `grant ${right.privilege} ${pg.escapeIdentifier(right.name)} to ${name};`);
    try {
      // Everybody may use the schema `public`, which need not belong to this role.
      await client.query(`begin;
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
