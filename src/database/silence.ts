import type pg from 'pg';

/** Ends connections whose server no longer speaks. */
export interface Silence {
  /** From now on this client is looked after. */
  readonly follow: (client: pg.Client) => void;
  /** Called as a statement is given to a client. */
  readonly asked: (client: pg.Client) => void;
}

/** Missing in the driver's declarations: whether the server waits for a statement, and not we for it. */
interface State {
  readonly readyForQuery: boolean;
}

/**
 * In place of the driver's `query_timeout`: with a timer for each statement, what its closures hold (rows, promises, requests) outlived many
 * collections of garbage (seen with Node 24). One timer does for all, and none runs while nothing is asked.
 * @param maxMs how long a statement may go without an answer; those that wait on the connection fail with `Query read timeout`
 */
export const createSilence = (maxMs: number): Silence => {
  /** By `performance.now()`, when the statement was sent that each of them is at, if it is at one. */
  const sinceMs = new Map<pg.Client, number>();
  let timer: NodeJS.Timeout | undefined;

  const isWaiting = (client: pg.Client): boolean => !(client as unknown as State).readyForQuery;

  const check = (): void => {
    timer = undefined;
    const nowMs = performance.now();
    let dueMs = Number.POSITIVE_INFINITY;
    for (const [client, since] of sinceMs) {
      if (!isWaiting(client)) continue;
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
      if (!isWaiting(client)) sinceMs.set(client, performance.now());
      if (timer === undefined) timer = setTimeout(check, maxMs).unref();
    },
  };
};
