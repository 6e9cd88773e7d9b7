import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';
import type { Pool, QueryResultRow } from 'pg';

/**
 * SQL of our own, for what Prisma's queries cannot say, or not so that PostgreSQL finds an index: docs/architecture.md lists each statement.
 * It is prepared once a connection under its name, and its columns are named as in the Prisma models.
 */
export interface Sql {
  readonly rows: <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
}

export interface Statement {
  /** Unique; the same text always goes with the same name. Without one it is not prepared: for texts that are put together in many ways. */
  readonly name?: string;
  readonly text: string;
}

export const createSql = (pool: Pick<Pool, 'query'>): Sql => ({
  rows: async (statement, values) => (await pool.query({ ...statement, values: [...values] })).rows,
});

/**
 * The columns of a table under an alias, named as the Prisma model names its fields: a row of our own SQL is then the same thing as one of
 * Prisma's, and a new field is in both.
 * @param fields the model's, such as `Prisma.ProductScalarFieldEnum`
 * @param columns those that are called otherwise than their fields, such as `COLUMNS.Product`
 */
export const columnsOf = (fields: Names, columns: Names, alias: string): string =>
  Object.values(fields)
    .map((field) => `${alias}."${columns[field] ?? field}" as "${field}"`)
    .join(', ');

type Names = Readonly<Record<string, string>>;

interface Options<Key, Row> {
  /** One statement for many keys, none twice; a row for each key that has one. */
  readonly read: (keys: Key[]) => Promise<readonly Row[]>;
  readonly keyOf: (row: Row) => Key;
}

const MAX_BATCH = 256;

/** While one statement is under way the next batch fills up, and no connection is idle between them. */
const MAX_IN_FLIGHT = 2;

/**
 * A loader for the whole process: lookups of different requests at the same time share a statement. It caches nothing, so that no
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
      maxBatchSize: MAX_BATCH,
      // After the event loop has read every request that has already arrived, and once a statement may be sent.
      batchScheduleFn: (send) => {
        // Belongs to the trace of the request that came first, not to the one whose statement has just ended.
        const run = AsyncLocalStorage.snapshot();
        waiting.push(() => run(send));
        setImmediate(dispatch);
      },
    },
  );
};

/**
 * Whether a text can be in a table. PostgreSQL stores no NUL, and refuses one in a parameter; half of a surrogate pair would become U+FFFD, which is
 * another text.
 */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
