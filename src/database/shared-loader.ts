import DataLoader from 'dataloader';
import { keepContext } from '../keep-context.ts';

interface Options<Key, Row> {
  /** One statement for many keys, none twice; a row for each key that has one. */
  readonly read: (keys: Key[]) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
}

const MAX_KEYS = 256;

/** While one statement is under way the next fills up, and a connection is never idle between them. */
const MAX_IN_FLIGHT = 2;

/**
 * A loader for the whole process: lookups of different requests in the same moment share a statement. It remembers nothing, so that no
 * request gets a row that was read before it asked.
 */
export const createSharedLoader = <Key extends number | string, Row>({
  read,
  keyOf,
}: Options<Key, Row>): DataLoader<Key, Row | null> => {
  const waiting: (() => void)[] = [];
  let inFlight = 0;

  const dispatch = (): void => {
    while (inFlight < MAX_IN_FLIGHT) {
      const next = waiting.shift();
      if (!next) return;
      inFlight += 1;
      next();
    }
  };

  return new DataLoader<Key, Row | null>(
    async (keys) => {
      try {
        const rows = await read([...new Set(keys)]);
        const byKey = new Map(rows.map((row) => [keyOf(row), row]));
        return keys.map((key) => byKey.get(key) ?? null);
      } finally {
        inFlight -= 1;
        dispatch();
      }
    },
    {
      cache: false,
      maxBatchSize: MAX_KEYS,
      // After the event loop has taken in every request that has already arrived, and a place is free.
      batchScheduleFn: (send) => {
        // Put down to the request that came first, not to the one that happens to free a place.
        const run = keepContext();
        waiting.push(() => void run(send));
        setImmediate(dispatch);
      },
    },
  );
};
