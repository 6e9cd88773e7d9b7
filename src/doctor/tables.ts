import { oneRow } from '../database/client.ts';
import { missingRights, readWatchedTables } from '../database/migrations/rights.ts';
import { readMigrationStatus } from '../database/migrations/status.ts';
import { tripOfNotification } from '../database/pooler.ts';
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

/** A check of rows is left out where the role may not read them: {@link checkPermissions} says so. */
const canRead = async ({ client, tables }: Examined, ...names: readonly string[]): Promise<boolean> => {
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
  return [ok('permissions', `${role} has all the rights that serving needs${surplus}`)];
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
export const checkNotifications: Check = async (examined) =>
  examined.config.changeFeed === 'poll'
    ? [ok('notifications', 'not needed: CHANGE_FEED=poll')]
    : [await checkTriggers(examined), await checkRoundTrip(examined)];

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
    ? 'Let DATABASE_DIRECT_URL lead to the database of DATABASE_URL, directly or through a pool in session mode; or set CHANGE_FEED=poll.'
    : 'Let DATABASE_URL lead to the database itself, or set DATABASE_DIRECT_URL, or CHANGE_FEED=poll.';
  const tripMs = await tripOfNotification(directUrl, (sql, values) => client.query(sql, values));
  if (tripMs !== undefined) return ok('notifications', `one arrived after ${tripMs.toFixed(1)} ms`);
  return fail('notifications', 'one did not arrive: changes would not show while responses are cached', remedy);
};
