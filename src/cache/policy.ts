import type { Table } from './pulse.ts';

/** What the resolvers and loaders of one operation say about its answer, for the cache to know how long it holds. */
export class GatheredPolicy {
  readonly tables = new Set<Table>();
  maxAgeMs = Number.POSITIVE_INFINITY;
  endsMs = Number.POSITIVE_INFINITY;

  /** The notices whose views the answer leaves slots for: to give it to somebody is to count them. */
  readonly views = new Set<number>();

  /** The answer shows rows of this table. */
  dependsOn(table: Table): void {
    this.tables.add(table);
  }

  /** The answer holds for this long at most, whatever the tables do. */
  holdsFor(ms: number): void {
    if (ms < this.maxAgeMs) this.maxAgeMs = ms;
  }

  /** The answer shows something that is over from this moment on, in the database's milliseconds: no outage is a reason to show it then. */
  showsUntil(ms: number): void {
    if (ms < this.endsMs) this.endsMs = ms;
  }
}
