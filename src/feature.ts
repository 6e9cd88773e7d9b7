import type { CachedTable } from './cache/tags.ts';
import type { ServedTable } from './database/migrations/rights.ts';
import type { PrismaRule } from './database/visible-rows.ts';
import type { FeatureLoaders } from './graphql/context.ts';

/** Which rows of a table are visible at a time, in every form that is needed. */
export interface Rule<Row> extends PrismaRule<Row> {
  /** A condition. @param alias of the table @param now an SQL expression */
  readonly sql: (alias: string, now: string) => string;
  /** When a row next becomes visible or invisible by time alone: an SQL expression, null for never. @param after one, too */
  readonly nextChangeSql: (after: string) => string;
}

/** What the database must have for a table. The doctor checks the database, and a test the migrations. */
export interface CheckedTable extends ServedTable {
  /** Triggers that notify every change, and those that keep other tables. */
  readonly triggers: readonly string[];
}

/** A table that the gateway serves, and all that other folders need to know of it. */
export interface Feature extends CachedTable, CheckedTable, FeatureLoaders {}
