import type { Pool, QueryResultRow } from 'pg';

/** SQL of our own, for what Prisma's queries cannot say: prepared once a connection under its name, columns named as the Prisma models name them. */
export interface Sql {
  readonly rows: <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;
}

export interface Statement {
  /** Unique; the same text always goes with the same name. */
  readonly name: string;
  readonly text: string;
}

export const createSql = (pool: Pick<Pool, 'query'>): Sql => ({
  rows: async ({ name, text }, values) => (await pool.query({ name, text, values: [...values] })).rows,
});
