import type pg from 'pg';
import { isBusy } from './pg-client.ts';

/** Ends connections whose server no longer answers. */
export interface QueryWatchdog {
  /** Watches a client. */
  readonly follow: (client: pg.Client) => void;
  /** A statement is given to a client. */
  readonly asked: (client: pg.Client) => void;
}

/**
 * Replaces the driver's `query_timeout`, whose timer for each statement keeps its closures (rows, promises, requests) through many collections of
 * garbage. With it a miss costs 45 % more CPU time (2026-11-22, docs/fast-path.md). Here one timer serves all
 * statements, and none runs while no statement is under way. Where pg no longer says that one is, nothing is cut, and `silent-connections` fails.
 * @param maxMs how long a statement may go without an answer; those that wait on the connection fail with `Query read timeout`
 */
export const createQueryWatchdog = (maxMs: number): QueryWatchdog => {
  /** When the current statement of each client was sent, by `performance.now()`. */
  const sinceMs = new Map<pg.Client, number>();
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    let dueMs = Number.POSITIVE_INFINITY;
    for (const [client, since] of sinceMs) {
      if (!isBusy(client)) continue;
      if (nowMs - since >= maxMs) client.connection.stream.destroy(new Error('Query read timeout'));
      else dueMs = Math.min(dueMs, since + maxMs);
    }
    if (dueMs < Number.POSITIVE_INFINITY) timer = setTimeout(check, dueMs - nowMs).unref();
  };

  return {
    follow: (client) => {
      client.connection.on('readyForQuery', () => sinceMs.set(client, performance.now()));
      client.connection.once('end', () => sinceMs.delete(client));
    },
    asked: (client) => {
      if (!isBusy(client)) sinceMs.set(client, performance.now());
      if (timer === undefined) timer = setTimeout(check, maxMs).unref();
    },
  };
};
