import { DatabaseClient, useBriefly } from '../database/client.ts';
import { connectionConfig } from '../database/database.ts';
import { tripOfNotification } from '../database/notification-trip.ts';
import { findPooling } from '../database/pooling.ts';
import { type Check, type Finding, fail, ok } from './check.ts';

const TIMEOUT_MS = 3000;

/** By table and name. */
const TRIGGERS = [
  ['category', 'vitrine_notify'],
  ['product', 'vitrine_notify'],
  ['product', 'vitrine_notify_insert'],
  ['product', 'vitrine_notify_update'],
  ['product', 'vitrine_notify_delete'],
  ['notice', 'vitrine_notify'],
] as const;

/** Whether changes are told: the triggers are on, and a notification comes through to a connection that listens. */
export const checkNotifications: Check = async (patient) =>
  patient.config.pulse === 'poll'
    ? [ok('notifications', 'not relied on: PULSE=poll')]
    : [await checkTriggers(patient), await checkRoundTrip(patient)];

const checkTriggers = async ({ client }: Parameters<Check>[0]): Promise<Finding> => {
  const { rows } = await client.query<{ table: string; trigger: string }>(
    `select t as table, n as trigger from unnest($1::text[], $2::text[]) as expected (t, n) where not exists (
       select from pg_trigger where tgrelid = to_regclass(t) and tgname = n and tgenabled in ('O', 'A'))`,
    [TRIGGERS.map(([table]) => table), TRIGGERS.map(([, trigger]) => trigger)],
  );
  if (rows.length === 0) return ok('triggers', 'every change of the three tables is notified');
  const missing = rows.map(({ table, trigger }) => `${trigger} on ${table}`).join(', ');
  const remedies = rows.map(({ table, trigger }) => `"alter table ${table} enable trigger ${trigger}"`).join(', ');
  return fail(
    'triggers',
    `no enabled trigger ${missing}: changes would not show for as long as answers are kept`,
    `${remedies}; if it is gone, create it as prisma/migrations has it.`,
  );
};

const checkRoundTrip = async ({ client, url, config }: Parameters<Check>[0]): Promise<Finding> => {
  const directUrl = config.databaseDirectUrl ?? url;
  const remedy = config.databaseDirectUrl
    ? 'Let DATABASE_DIRECT_URL lead to the database of DATABASE_URL, itself or by way of a pool in session mode; or set PULSE=poll.'
    : 'Let DATABASE_URL lead to the database itself, or set DATABASE_DIRECT_URL, or PULSE=poll.';
  if (await isShared(directUrl)) {
    const message = 'a pooler in transaction mode takes them: changes would not show for as long as answers are kept';
    return fail('notifications', message, remedy);
  }
  const tripMs = await tripOfNotification(directUrl, (sql, values) => client.query(sql, values));
  if (tripMs !== undefined) return ok('notifications', `one came through in ${tripMs.toFixed(1)} ms`);
  return fail(
    'notifications',
    'one did not come through: changes would not show for as long as answers are kept',
    remedy,
  );
};

/** Whether there is no session of one's own on that way. */
const isShared = async (url: string): Promise<boolean> => {
  const client = new DatabaseClient({
    ...connectionConfig(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  return useBriefly(client, async () => (await findPooling(client)) === 'transaction');
};
