import { type DatabaseClient, oneRow } from '../database/connection.ts';
import { type CheckedTable, missingRights, readWatchedTables } from '../database/migrations/rights.ts';
import { readMigrationFiles, readMigrationStatus } from '../database/migrations/status.ts';
import { tripOfNotification } from '../database/open.ts';
import { type Check, type Examined, type Finding, fail, ok, warn } from './finding.ts';

/** Whether the database is as this version's migrations leave it. */
export const checkMigrations: Check = async ({ client }) => {
  const { applied, pending, failed, unknown, edited } = await readMigrationStatus(client);
  const findings: Finding[] = [];
  if (pending.length > 0) {
    const unfinished = failed.length > 0 ? `, of which ${failed.join(', ')} was begun and not finished` : '';
    const remedy = 'Run "npx vitrine migrate" as the role that owns the tables.';
    findings.push(fail('migrations', `pending: ${pending.join(', ')}${unfinished}`, remedy));
  }
  if (edited.length > 0) {
    const remedy = 'Restore the files of prisma/migrations from the release that was installed.';
    findings.push(warn('migrations', `edited after being applied: ${edited.join(', ')}`, remedy));
  }
  if (unknown.length > 0) {
    const remedy = 'That is fine while an upgrade rolls out; after it, no older version should be running.';
    findings.push(warn('migrations', `a newer version has migrated this database: ${unknown.join(', ')}`, remedy));
  }
  return findings.length > 0 ? findings : [ok('migrations', `${applied.length} applied, none pending`)];
};

const INDEX =
  /\bcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+on\b|\bdrop\s+index\s+(?:concurrently\s+)?(?:if\s+exists\s+)?"?(\w+)"?/gi;

/** The indexes that the migrations make and do not drop again. */
const readIndexNames = async (): Promise<string[]> => {
  const names = new Set<string>();
  for (const { script } of await readMigrationFiles()) {
    for (const [, created, dropped] of script.replaceAll(/--.*$/gm, '').matchAll(INDEX)) {
      if (created) names.add(created);
      if (dropped) names.delete(dropped);
    }
  }
  return [...names].sort();
};

/** Whether every index of the migrations is there and usable. */
export const checkIndexes: Check = async ({ client }) => {
  const names = await readIndexNames();
  const { rows } = await client.query<{ name: string; valid: boolean | null }>(
    `select name, (select indisvalid and indisready from pg_index where indexrelid = to_regclass(quote_ident(name))) as valid
     from unnest($1::text[]) as name`,
    [names],
  );
  const missing = rows.filter(({ valid }) => valid === null).map(({ name }) => name);
  const invalid = rows.filter(({ valid }) => valid === false).map(({ name }) => name);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const remedy =
      'Create them again as prisma/migrations has them (with "concurrently" on a live database): lists are slow without.';
    findings.push(fail('indexes', `missing: ${missing.join(', ')}`, remedy));
  }
  if (invalid.length > 0) {
    const remedy = `A build of them was cut off: ${invalid.map((name) => `"reindex index concurrently ${name}"`).join(', ')}.`;
    findings.push(fail('indexes', `not valid: ${invalid.join(', ')}`, remedy));
  }
  return findings.length > 0 ? findings : [ok('indexes', `all ${names.length} there and valid`)];
};

/** A check of rows is left out where the role may not read them: {@link checkPermissions} says so. */
export const canRead = async ({ client, tables }: Examined, ...names: readonly string[]): Promise<boolean> => {
  const read = tables.filter(({ table }) => names.includes(table));
  return (await missingRights(client, read)).missing.length === 0;
};

/** The check looks at about so many products of a larger catalogue. */
const SAMPLE = 1000;

/** Whether products are found by their present texts: writes without triggers (`ALTER TABLE … USING`, triggers that are off) leave old words. */
export const checkWords: Check = async (examined) => {
  if (!(await canRead(examined, 'product'))) return [];
  const { seen, stale } = await oneRow<{ seen: number; stale: number }>(
    examined.client,
    `select count(*)::int as seen,
       count(*) filter (where w.words is distinct from vitrine_search(p.name, p.brand, p.tags, p.subtitle, p.description))::int as stale
     from (
       select id, name, brand, tags, subtitle, description from product tablesample system (
         (select case when reltuples > ${SAMPLE} then 100 * ${SAMPLE} / reltuples else 100 end from pg_class where oid = 'product'::regclass)
       ) limit ${SAMPLE}
     ) p left join product_words w on w.product_id = p.id`,
  );
  if (stale === 0) return [ok('words', `those of ${seen} products are what their texts say`)];
  const remedy = `Run "select vitrine_make_words('product')" as the role that owns the tables; products cannot be written meanwhile.`;
  return [fail('words', `${stale} of ${seen} products are not found by what their texts say`, remedy)];
};

/**
 * Whether variants have a value for each option of their product: the database looks when a variant is written, and not when the product
 * is. And whether products have the price, list price and stock of their variants: a write that fires no trigger leaves them as they were.
 */
export const checkVariants: Check = async (examined) => {
  if (!(await canRead(examined, 'product', 'product_variant'))) return [];
  const { unfit, stale } = await oneRow<Record<'unfit' | 'stale', readonly number[]>>(
    examined.client,
    `select coalesce(array_agg(id order by id) filter (where is_unfit), '{}') as unfit, coalesce(array_agg(id order by id) filter (where is_stale), '{}') as stale
     from (
       select p.id, bool_or(cardinality(v.option_values) <> cardinality(p.option_names)) as is_unfit,
         p.price <> min(v.price) or p.stock <> least(sum(v.stock), 2147483647)
           or not bool_or(v.price = p.price and v.list_price is not distinct from p.list_price) as is_stale
       from product p join product_variant v on v.product_id = p.id group by p.id
     ) p`,
  );
  const findings: Finding[] = [];
  if (unfit.length > 0) {
    const message = `variants have more or fewer option_values than their product has option_names, in ${firstOf(unfit)}`;
    const remedy =
      'Change both in one transaction. Until then not all of these variants can be chosen by their options.';
    findings.push(warn('options', message, remedy));
  }
  if (stale.length > 0) {
    const message = `another price, list price or stock than the variants say, in ${firstOf(stale)}`;
    const remedy = 'Run "update product_variant set position = position" for them, or for all: triggers do the rest.';
    findings.push(warn('prices', message, remedy));
  }
  return findings;
};

const firstOf = (ids: readonly number[]): string =>
  `${ids.length === 1 ? 'product' : `${ids.length} products`} ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;

const grantAll = (right: string, role: string): string =>
  `Let the owner run "grant ${right} to ${role}". "npx vitrine migrate --grant-to ${role}", run as the owner, gives all that serving needs.`;

/** Whether the role may do what a gateway does. */
export const checkPermissions: Check = async ({ client, tables }) => {
  const { role, missing } = await missingRights(client, tables);
  const [first] = missing;
  if (first) {
    return [fail('permissions', `${role} has no right to ${first}`, grantAll(first, role))];
  }
  const [unreadable] = (await missingRights(client, await readWatchedTables(client, tables))).missing;
  if (unreadable) {
    const message = `${role} has no right to ${unreadable}, watched by vitrine_watch: fields that show them would fail`;
    return [warn('permissions', message, grantAll(unreadable, role))];
  }
  const { isSuperuser, isWriter } = await oneRow<{ isSuperuser: boolean; isWriter: boolean }>(
    client,
    `select (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
       exists (select from unnest($1::text[]) t where has_table_privilege(t, 'insert')) as "isWriter"`,
    [tables.map(({ table }) => table)],
  );
  let surplus = isWriter ? '; it may also write, which serving does not need' : '';
  if (isSuperuser) surplus = '; it is a superuser, which serving does not need';
  const serving = ok('permissions', `${role} has all the rights that serving needs${surplus}`);
  return [serving, ...(await examineWriters(client, tables))];
};

/** Roles that were let write a table, and may not execute a function that its checks, defaults or indexes call. */
const examineWriters = async (client: DatabaseClient, tables: readonly CheckedTable[]): Promise<Finding[]> => {
  const { rows } = await client.query<{ role: string; tables: string; functions: string }>(
    `with writable as (
       select oid as table, relacl as acl, relowner as owner from pg_class where oid = any (select to_regclass(t) from unnest($1::text[]) t)
       union all
       select attrelid, attacl, relowner from pg_attribute join pg_class c on c.oid = attrelid
       where attrelid = any (select to_regclass(t) from unnest($1::text[]) t)
     ),
     called as (
       select w.table, refobjid as function from (select distinct w.table from writable w) w, pg_depend
       where refclassid = 'pg_proc'::regclass and (
         classid = 'pg_constraint'::regclass and objid in (
           select oid from pg_constraint
           where conrelid = w.table or contypid in (select atttypid from pg_attribute where attrelid = w.table))
         or classid = 'pg_attrdef'::regclass and objid in (select oid from pg_attrdef where adrelid = w.table)
         or classid = 'pg_class'::regclass and objid in (select indexrelid from pg_index where indrelid = w.table))
     )
     select case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as role,
       string_agg(distinct w.table::regclass::text, ', ') as tables, string_agg(distinct function::regproc::text, ', ') as functions
     from writable w join called c on c.table = w.table, aclexplode(acl)
     where privilege_type in ('INSERT', 'UPDATE') and grantee <> owner and not has_function_privilege(grantee, function, 'execute')
     group by 1 order by 1`,
    [tables.map(({ table }) => table)],
  );
  return rows.map(({ role, tables: written, functions }) => {
    const message = `${role} may write ${written}, and may not execute what their checks call: its writes fail`;
    return warn('permissions', message, `Let the owner run "grant execute on function ${functions} to ${role}".`);
  });
};

/** From here on somebody should look: a listener is stuck. */
const MAX_QUEUE_USAGE = 0.1;

/** How full PostgreSQL's one queue of notifications is. To ask gives up what all listeners have read. */
export const checkQueue: Check = async ({ client }) => {
  const { usage } = await oneRow<{ usage: number }>(client, 'select pg_notification_queue_usage() as usage');
  const message = `PostgreSQL's queue of notifications is ${Math.round(usage * 100)} % full`;
  if (usage < MAX_QUEUE_USAGE) return [ok('queue', message)];
  const remedy =
    'Find a session that listens and reads nothing (pg_stat_activity: an old xact_start, or the wait_event ClientWrite), and end it with pg_terminate_backend.';
  return [warn('queue', `${message}: once it is full, every write fails`, remedy)];
};

/** Whether changes are notified: the triggers are on, and a notification reaches a connection that listens. */
export const checkNotifications: Check = async (examined) => [
  await checkTriggers(examined),
  await checkRoundTrip(examined),
];

const checkTriggers = async ({ client, tables }: Examined): Promise<Finding> => {
  const expected = tables.flatMap(({ table, triggers }) => triggers.map((trigger) => ({ table, trigger })));
  const { rows } = await client.query<{ table: string; trigger: string }>(
    `select * from json_to_recordset($1) as expected ("table" text, trigger text) where not exists (
       select from pg_trigger where tgrelid = to_regclass("table") and tgname = trigger and tgenabled in ('O', 'A'))`,
    [JSON.stringify(expected)],
  );
  if (rows.length === 0)
    return ok('triggers', `every change of ${tables.map(({ table }) => table).join(', ')} is notified`);
  const missing = rows.map(({ table, trigger }) => `${trigger} on ${table}`).join(', ');
  const remedies = rows.map(({ table, trigger }) => `"alter table ${table} enable trigger ${trigger}"`).join(', ');
  const message = `no enabled trigger ${missing}: changes would not show, in cached responses or in searches`;
  return fail('triggers', message, `${remedies}; if it is gone, create it as prisma/migrations has it.`);
};

const checkRoundTrip = async ({ client, url, config }: Examined): Promise<Finding> => {
  const directUrl = config.databaseDirectUrl ?? url;
  const remedy = config.databaseDirectUrl
    ? 'Let DATABASE_DIRECT_URL lead to the database of DATABASE_URL, directly or through a pool in session mode.'
    : 'Let DATABASE_URL lead to the database itself, or set DATABASE_DIRECT_URL.';
  const tripMs = await tripOfNotification(directUrl, (sql, values) => client.query(sql, values));
  if (tripMs !== undefined) return ok('notifications', `one arrived after ${tripMs.toFixed(1)} ms`);
  return fail('notifications', 'one did not arrive: changes would not show while responses are cached', remedy);
};
