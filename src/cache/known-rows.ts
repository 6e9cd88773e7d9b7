import { LRUCache } from 'lru-cache';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import type { CacheHints } from './hints.ts';
import type { TaggedRead, TagVersions } from './tags.ts';

/** Rows that earlier operations have read, by their ids. A row is given until one of its cache tags is touched, as a response is. */
export interface KnownRows {
  readonly of: <Row extends { readonly id: number }>(table: string) => KnownRowsOf<Row>;
  readonly size: () => { bytes: number; rows: number };
  readonly stats: { hits: number };
}

export interface KnownRowsOf<Row> {
  /** A row that misses no commit older than the bound. The hints learn how old it may be. */
  readonly find: (id: number, hints: CacheHints) => Row | undefined;
  /** Keeps the rows of a read that are still true when it ends. */
  readonly keep: <Kept extends Row>(read: () => Promise<Kept[]>) => Promise<Kept[]>;
}

interface KnownRow extends TaggedRead {
  readonly row: object;
}

interface Options {
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: FreshnessMonitor;
  /** 0 keeps nothing. */
  readonly maxBytes: number;
}

export const createKnownRows = ({ tagVersions, freshnessMonitor, maxBytes }: Options): KnownRows => {
  const rows =
    maxBytes > 0 ? new LRUCache<number, KnownRow>({ maxSize: maxBytes, sizeCalculation: sizeOfRow }) : undefined;
  const stats = { hits: 0 };

  /** Where changes are not notified, no known row can be trusted; and an operation that counts a view reads everything now. */
  const mayUse = ({ asOfMs }: CacheHints): boolean =>
    asOfMs !== undefined && freshnessMonitor.trustedUntilMs() === undefined && freshnessMonitor.isFresh();

  return {
    stats,
    size: () => ({ bytes: rows?.calculatedSize ?? 0, rows: rows?.size ?? 0 }),
    of: <Row extends { readonly id: number }>(table: string): KnownRowsOf<Row> => {
      const { tables, of } = tagVersions.tags;
      const { whole, row: tagOf } = of(table);
      const index = tables.findIndex((each) => each.table === table);
      // One number for table and id, which is exact for every id of PostgreSQL.
      const keyOf = (id: number): number => id * tables.length + index;
      return {
        find: (id, hints) => {
          const known = rows?.get(keyOf(id));
          if (!known || !mayUse(hints) || tagVersions.hasChanged(known)) return undefined;
          hints.readsAsOf(performance.now() - freshnessMonitor.ageMs());
          stats.hits += 1;
          return known.row as Row;
        },
        keep: async (read) => {
          // What changes from here on may or may not be in what is read.
          const { sequence } = tagVersions;
          const found = await read();
          if (!rows || freshnessMonitor.isLost()) return found;
          for (const row of found) {
            const known = { row, tags: [whole, tagOf(row.id)], trueAt: sequence };
            if (!tagVersions.hasChanged(known)) rows.set(keyOf(row.id), known);
          }
          return found;
        },
      };
    },
  };
};

/** Reads rows, and keeps them where rows are kept. */
export const keepRows = <Row>(known: KnownRowsOf<Row> | undefined, read: () => Promise<Row[]>): Promise<Row[]> =>
  known ? known.keep(read) : read();

/** What a row takes beside its texts (measured for a product): its object, numbers, times and amounts, and its part of the map. */
const ROW_OVERHEAD_BYTES = 1000;

const sizeOfRow = ({ row }: KnownRow): number => {
  let bytes = ROW_OVERHEAD_BYTES;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += value.length;
    else if (Array.isArray(value)) bytes += value.reduce((sum, text) => sum + String(text).length, 0);
  }
  return bytes;
};
