import { LRUCache } from 'lru-cache';
import type { Dependencies } from './dependencies.ts';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import type { TaggedRead, TagVersions } from './tags.ts';

export type KnownRows = ReturnType<typeof createKnownRows>;

export interface KnownRowsOf<Row> {
  /**
   * A row that misses no commit older than the bound; the dependencies then learn its age. Undefined also where the operation may use no known
   * rows.
   */
  readonly find: (id: number, dependencies: Dependencies) => Row | undefined;
  readonly has: (id: number) => boolean;
  /** Keeps the rows of a read that are still true when it ends. */
  readonly keep: <Kept extends Row>(read: () => Promise<Kept[]>) => Promise<Kept[]>;
}

interface KnownRow extends TaggedRead {
  readonly row: object;
}

interface Options {
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: FreshnessMonitor;
  readonly maxBytes: number;
}

/** Keeps rows that earlier operations have read, by their ids, until they change: under the same tags as responses, in one LRU list. */
export const createKnownRows = ({ tagVersions, freshnessMonitor, maxBytes }: Options) => {
  // LRUCache takes no 0. Every row is larger than 1, so nothing is kept then.
  const known = new LRUCache<number, KnownRow>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ row }) => ROW_OVERHEAD_BYTES + textBytesOf(row),
  });
  const stats = { hits: 0 };

  // Not for an operation that reads what is true now.
  const mayUse = ({ asOfMs, openedMs }: Dependencies): boolean =>
    asOfMs !== undefined && freshnessMonitor.isFresh(openedMs);

  return {
    stats,
    size: (): { bytes: number; rows: number } => ({ bytes: known.calculatedSize, rows: known.size }),
    of: <Row extends { readonly id: number }>(table: string): KnownRowsOf<Row> => {
      const { tables } = tagVersions;
      const tags = tagVersions.of(table);
      const index = tables.findIndex((each) => each.table === table);
      // One number for table and id, which is exact for every id of PostgreSQL.
      const keyOf = (id: number): number => id * tables.length + index;

      const unchanged = (id: number): KnownRow | undefined => {
        const found = known.get(keyOf(id));
        return found && !tagVersions.hasChanged(found) ? found : undefined;
      };

      return {
        find: (id, dependencies) => {
          const found = unchanged(id);
          if (!found || !mayUse(dependencies)) return undefined;
          dependencies.readsAsOf(freshnessMonitor.asOfMs());
          stats.hits += 1;
          return found.row as Row;
        },
        has: (id) => unchanged(id) !== undefined,
        keep: async (read) => {
          // The read may or may not see a change from here on.
          const { sequence } = tagVersions;
          const rows = await read();
          if (!tags || maxBytes === 0 || freshnessMonitor.isLost()) return rows;
          for (const row of rows) {
            if (unchanged(row.id)) continue;
            const kept: KnownRow = { row, tags: [tags.whole, tags.row(row.id)], trueAt: sequence };
            if (!tagVersions.hasChanged(kept)) known.set(keyOf(row.id), kept);
          }
          return rows;
        },
      };
    },
  };
};

/** Reads rows, and keeps them where rows are kept. */
export const keepRows = <Row>(known: KnownRowsOf<Row> | undefined, read: () => Promise<Row[]>): Promise<Row[]> =>
  known ? known.keep(read) : read();

/** The memory that a row takes beside the characters of its texts: its objects and its part of the map (measured for two prices). */
const ROW_OVERHEAD_BYTES = 1300;

/** Counts the bytes of all texts in a value, in lists and in JSON, too. V8's heap has fewer of most that are not ASCII. */
const textBytesOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((bytes: number, part) => bytes + textBytesOf(part), 0);
};
