import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { OperatorError } from '../errors.ts';
import { DatabaseClient, useBriefly } from './client.ts';
import { connectionConfig } from './database.ts';

const TIMEOUT_MS = 2000;

/**
 * Sends a notification on one way and listens for it on another, on a channel that no gateway listens to.
 * @param notify runs a statement on the one way
 * @returns how long it took, in milliseconds; undefined where it did not come through within {@link TIMEOUT_MS}
 */
export const tripOfNotification = async (
  listenUrl: string,
  notify: (sql: string, values: string[]) => Promise<unknown>,
): Promise<number | undefined> => {
  const channel = `vitrine_probe_${randomUUID().replaceAll('-', '')}`;
  const listener = new DatabaseClient({
    ...connectionConfig(listenUrl),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  const { promise: heard, resolve } = Promise.withResolvers<boolean>();
  listener.on('notification', () => resolve(true));
  const timer = setTimeout(resolve, TIMEOUT_MS, false);
  try {
    return await useBriefly(listener, async () => {
      await listener.query(`listen ${channel}`);
      const startMs = performance.now();
      await notify('select pg_notify($1, $2)', [channel, 'hello']);
      return (await heard) ? performance.now() - startMs : undefined;
    });
  } finally {
    clearTimeout(timer);
  }
};

/** @throws OperatorError where what is committed by way of the pool is not told to those who listen at the other URL */
export const assertSameDatabase = async (pool: Pool, directUrl: string): Promise<void> => {
  const tripMs = await tripOfNotification(directUrl, (sql, values) => pool.query(sql, values));
  if (tripMs === undefined) {
    throw new OperatorError(
      'A notification sent by way of DATABASE_URL did not arrive at DATABASE_DIRECT_URL: let both lead to the same database.',
    );
  }
};
