import { randomUUID } from 'node:crypto';
import { DatabaseClient } from '../database/client.ts';
import { connectionConfig } from '../database/database.ts';
import { type Check, type Finding, fail, ok } from './check.ts';

const TIMEOUT_MS = 3000;
const TABLES = ['category', 'product', 'notice'];

/** Whether changes are told: the triggers are on, and a notification comes through to a connection that listens. */
export const checkNotifications: Check = async (patient) => [
  await checkTriggers(patient),
  await checkRoundTrip(patient),
];

const checkTriggers = async ({ client }: Parameters<Check>[0]): Promise<Finding> => {
  const { rows } = await client.query<{ table: string }>(
    `select t as table from unnest($1::text[]) t where not exists (
       select from pg_trigger where tgrelid = to_regclass(t) and tgname = 'vitrine_notify' and tgenabled in ('O', 'A'))`,
    [TABLES],
  );
  if (rows.length === 0) return ok('triggers', 'every change of the three tables is notified');
  const tables = rows.map(({ table }) => table);
  const remedy = `${tables.map((table) => `"alter table ${table} enable trigger vitrine_notify"`).join(', ')}; if it is gone, create it as prisma/migrations has it.`;
  return fail(
    'triggers',
    `no enabled trigger vitrine_notify on ${tables.join(', ')}: changes would not show for as long as answers are kept`,
    remedy,
  );
};

/** On a channel of its own, so that no gateway takes it for a change. */
const checkRoundTrip = async ({ client, url }: Parameters<Check>[0]): Promise<Finding> => {
  const channel = `vitrine_doctor_${randomUUID().replaceAll('-', '')}`;
  const listener = new DatabaseClient({
    ...connectionConfig(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  listener.on('error', () => {});
  const { promise: heard, resolve } = Promise.withResolvers<boolean>();
  listener.on('notification', () => resolve(true));
  const timer = setTimeout(resolve, TIMEOUT_MS, false);
  try {
    await listener.connect();
    await listener.query(`listen ${channel}`);
    const startMs = performance.now();
    await client.query('select pg_notify($1, $2)', [channel, 'hello']);
    if (await heard) return ok('notifications', `one came through in ${(performance.now() - startMs).toFixed(1)} ms`);
    return fail(
      'notifications',
      `a notification did not come through within ${TIMEOUT_MS / 1000} s: changes would not show for as long as answers are kept`,
      'This is how a pooler in transaction mode behaves. Point DATABASE_URL at the database itself, or at a pool in session mode.',
    );
  } finally {
    clearTimeout(timer);
    await listener.end().catch(() => undefined);
  }
};
