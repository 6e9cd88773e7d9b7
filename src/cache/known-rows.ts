import { LRUCache } from 'lru-cache';
import type { Clock } from '../database/clock.ts';
import { StoredRow } from '../database/stored-row.ts';
import { heapBytesOf } from '../fast-path/own-memory.ts';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import type { CacheHints } from './hints.ts';
import { createKnownLists, KeptList, type KnownList, type KnownLists, type ListSource } from './known-lists.ts';
import { ListTexts, withListTexts } from './list-texts.ts';
import { giveTexts, type TextsMemory } from './row-texts.ts';
import type { Tag, TaggedRead, TagVersions } from './tags.ts';

/**
 * What was read for earlier operations, while nothing has changed it since: rows by their ids, and lists of ids, under the same tags as responses.
 * A response is put together from both.
 */
export interface KnownRows {
  /**
   * Whether an operation may be answered from here: then what is found misses no commit older than the bound. The hints learn how old it may be.
   * What is found in the same turn needs no further question.
   */
  readonly mayUse: (hints: CacheHints) => boolean;
  /** @param withValues the same row with what a notification says that it is now; undefined where nobody can tell */
  readonly of: <Row extends { readonly id: number }>(
    table: string,
    withValues?: (row: Row, values: string) => Row | undefined,
  ) => KnownRowsOf<Row>;
  readonly size: () => { bytes: number; rows: number };
  readonly stats: { hits: number };
}

export interface KnownRowsOf<Row> extends Pick<KnownRows, 'mayUse'> {
  readonly find: (id: number) => Row | undefined;
  /** Whether there is such a row, even one that has changed since. */
  readonly has: (id: number) => boolean;
  /** Keeps the rows of a read that are still true when it ends. @param isWanted @default all */
  readonly keep: <Kept extends Row>(read: () => Promise<Kept[]>, isWanted?: (id: number) => boolean) => Promise<Kept[]>;
  /** A list that was kept under this name. @param now of the operation: a list is over when rows begin or end to show */
  readonly findList: <List extends KnownList>(name: string, now: Date) => List | undefined;
  /** The first rows of such a list, where all of them are known, with the JSON that is kept with the list. */
  readonly rowsOf: (list: KnownList, count: number) => Row[] | undefined;
  /** To be called before lists are read. */
  readonly beginLists: () => ListsRead;
  /** Lists that are kept while their rows change. */
  readonly lists: <List extends KnownList, Read extends { readonly id: number }>(
    source: ListSource<List, Read>,
  ) => KnownLists<List>;
}

/** Lists that are being read, to be kept for later operations. */
export interface ListsRead {
  /** When rows must show that are in them. An earlier time would miss what began to show since, and is no longer planned. */
  readonly now: Date;
  /** Keeps a list that is still true. */
  readonly keep: <List extends KnownList>(name: string, list: List) => void;
}

interface Known extends TaggedRead {
  readonly bytes: number;
}

interface KnownRow extends Known {
  readonly row: object;
  /** What the row is now, until somebody asks for it. */
  values: string | undefined;
}

interface TrueList extends Known {
  readonly list: KnownList;
  /** In the database's milliseconds. */
  readonly untilMs: number;
}

/** Rows that were looked up for a list. */
interface ListedRows extends TaggedRead {
  readonly rows: readonly unknown[];
  readonly texts: ListTexts;
}

interface Options {
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: FreshnessMonitor;
  readonly clock: Clock;
  readonly freshnessMs: number;
  /** 0 keeps nothing. */
  readonly maxBytes: number;
}

export const createKnownRows = ({
  tagVersions,
  freshnessMonitor,
  clock,
  freshnessMs,
  maxBytes,
}: Options): KnownRows => {
  const listedBytes = Math.floor(maxBytes * LISTED_SHARE);
  const known =
    maxBytes > 0
      ? new LRUCache<number | string, KnownRow | TrueList | KeptList<KnownList>>({
          maxSize: maxBytes - listedBytes,
          sizeCalculation: (kept) => (kept instanceof KeptList ? sizeOfList(kept.list) : kept.bytes),
          dispose: (kept) => {
            if (kept instanceof KeptList) kept.release();
          },
        })
      : undefined;
  const listed =
    listedBytes > 0
      ? new LRUCache<KnownList, ListedRows>({
          maxSize: listedBytes,
          sizeCalculation: ({ rows }) => LIST_OVERHEAD_BYTES + rows.length * LISTED_ROW_BYTES,
        })
      : undefined;
  const stats = { hits: 0 };

  const mayUse = (hints: CacheHints): boolean => {
    // Where changes are not notified nobody knows whether a row is still true; a view is counted with what is read now.
    if (!known || hints.asOfMs === undefined || freshnessMonitor.trustedUntilMs() !== undefined) return false;
    if (!freshnessMonitor.isFresh(hints.openedMs)) return false;
    hints.readsAsOf(freshnessMonitor.asOfMs());
    return true;
  };

  const findTrue = (key: number | string): KnownRow | TrueList | undefined => {
    const found = known?.get(key);
    if (!found || found instanceof KeptList || tagVersions.hasChanged(found)) return undefined;
    stats.hits += 1;
    return found;
  };

  const keepTrue = (key: number | string, read: KnownRow | TrueList): void => {
    if (!freshnessMonitor.isLost() && !tagVersions.hasChanged(read)) known?.set(key, read);
  };

  return {
    stats,
    mayUse,
    size: () => ({
      bytes: (known?.calculatedSize ?? 0) + (listed?.calculatedSize ?? 0),
      rows: known?.size ?? 0,
    }),
    of: <Row extends { readonly id: number }>(
      table: string,
      withValues?: (row: Row, values: string) => Row | undefined,
    ): KnownRowsOf<Row> => {
      const { tables, of } = tagVersions.tags;
      const { whole, anyRow, row: tagOf, group: tagOfGroup } = of(table);
      const index = tables.findIndex((each) => each.table === table);
      // One number for table and id, which is exact for every id of PostgreSQL.
      const keyOf = (id: number): number => id * tables.length + index;

      if (withValues)
        tagVersions.watchBefore(({ table: changed, rows }) => {
          if (changed !== table || !rows?.now) return;
          const found = known?.peek(keyOf(rows.now.id)) as KnownRow | undefined;
          // Of one that is no longer true, other columns may have changed too.
          if (!found || tagVersions.hasChanged(found)) return;
          found.values = rows.now.values;
          found.trueAt = tagVersions.sequence + 1;
        });

      const memory: TextsMemory = {
        hasRoom: () => known !== undefined && known.calculatedSize < known.maxSize * (1 - ROWS_ALONE_SHARE),
        changed: (row, bytes) => {
          const key = keyOf((row as Row).id);
          const found = known?.peek(key) as KnownRow | undefined;
          if (found?.row !== row) return;
          const { values, tags, trueAt } = found;
          // The size of an entry that is set again would not be calculated again.
          known?.set(key, { row, values, tags, trueAt, bytes: found.bytes + bytes });
        },
      };

      const entryOf = (row: Row & object, { tags, trueAt }: TaggedRead): KnownRow => {
        const bytes = textBytesOf(row);
        giveTexts(row, bytes + TEXTS_BESIDE_BYTES, memory);
        return { row, values: undefined, tags, trueAt, bytes: ROW_OVERHEAD_BYTES + bytes };
      };

      const find = (id: number): Row | undefined => {
        const found = findTrue(keyOf(id)) as KnownRow | undefined;
        if (found?.values === undefined) return found?.row as Row | undefined;
        const row = withValues?.(found.row as Row, found.values);
        if (row) known?.set(keyOf(id), entryOf(row, found));
        else known?.delete(keyOf(id));
        return row;
      };

      return {
        mayUse,
        find,
        has: (id) => known?.has(keyOf(id)) === true,
        keep: async (read, isWanted) => {
          // What changes from here on may or may not be in what is read.
          const { sequence } = tagVersions;
          const found = await read();
          if (!known) return found;
          for (const row of found) {
            if (isWanted && !isWanted(row.id)) continue;
            keepTrue(keyOf(row.id), entryOf(row, { tags: [whole, tagOf(row.id)], trueAt: sequence }));
          }
          return found;
        },
        findList: <List extends KnownList>(name: string, now: Date) => {
          const found = findTrue(`${table} ${name}`) as TrueList | undefined;
          return found && now.getTime() < found.untilMs ? (found.list as List) : undefined;
        },
        rowsOf: (list, count) => {
          const length = Math.min(count, list.ids.length);
          let found = listed?.get(list);
          if (!found || found.rows.length < length || tagVersions.hasChanged(found)) {
            const ids = list.ids.slice(0, length);
            const rows = ids.map(find);
            if (rows.includes(undefined)) return undefined;
            const tags = [whole, ...ids.map(tagOf)];
            const texts = new ListTexts(length * LIST_CHARS_PER_ROW);
            found = { rows, tags, trueAt: tagVersions.sequence, texts };
            listed?.set(list, found);
          }
          return withListTexts(found.rows.slice(0, length) as Row[], found.texts);
        },
        beginLists: () => {
          const { sequence } = tagVersions;
          const untilMs = freshnessMonitor.nextChangeMs(table);
          return {
            now: new Date(clock.nowMs()),
            keep: (name, list) => {
              if (untilMs === undefined) return;
              const tags: Tag[] = [whole, anyRow];
              keepTrue(`${table} ${name}`, { list, untilMs, tags, trueAt: sequence, bytes: sizeOfList(list) });
            },
          };
        },
        lists: <List extends KnownList, Read extends { readonly id: number }>(source: ListSource<List, Read>) => {
          const nameOf = (name: string): string => `${table} ${name}`;
          const lists = createKnownLists<List, Read>({
            table,
            source,
            store: {
              get: (name) => {
                const kept = known?.get(nameOf(name));
                return kept instanceof KeptList ? (kept as KeptList<List>) : undefined;
              },
              set: (name, list) => {
                if (freshnessMonitor.isLost()) return false;
                known?.set(nameOf(name), list);
                return known?.peek(nameOf(name)) === list;
              },
              delete: (list) => {
                if (known?.peek(nameOf(list.name)) === list) known.delete(nameOf(list.name));
              },
            },
            sequence: () => tagVersions.sequence,
            tagOf: (group) => (group === undefined ? anyRow : tagOfGroup(group)),
            now: () => new Date(clock.nowMs()),
            nextChangeMs: () => freshnessMonitor.nextChangeMs(table),
            asOfMs: freshnessMonitor.asOfMs,
            freshnessMs,
          });
          tagVersions.watch(lists.changed);
          return lists;
        },
      };
    },
  };
};

/** Reads rows, and keeps them where rows are kept. */
export const keepRows = <Row>(known: KnownRowsOf<Row> | undefined, read: () => Promise<Row[]>): Promise<Row[]> =>
  known ? known.keep(read) : read();

/** What a row takes beside its texts (measured for a product): its objects, where its columns end, and its part of the map. */
const ROW_OVERHEAD_BYTES = 700;

/** The JSON that is kept with a row may take as much as its texts, and so much more: names of fields, numbers, times. */
const TEXTS_BESIDE_BYTES = 1400;

const textBytesOf = (row: object): number => {
  if (row instanceof StoredRow) return row.text.heapBytes;
  let bytes = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') bytes += heapBytesOf(value);
    else if (Array.isArray(value)) bytes += value.reduce((sum, text) => sum + heapBytesOf(String(text)), 0);
  }
  return bytes;
};

/** Of the memory for rows: JSON that is asked for the first time may not use it. */
const ROWS_ALONE_SHARE = 0.1;

/** Of the memory for rows: for lists whose rows were looked up. */
const LISTED_SHARE = 0.125;
const LIST_CHARS_PER_ROW = 250;
/** With a part of the row itself, which may be known no longer but for the list. */
const LISTED_ROW_BYTES = LIST_CHARS_PER_ROW * 2 + 100;

const LIST_OVERHEAD_BYTES = 600;
/** An id, two numbers by which it is sorted, and that of a change. */
const ENTRY_BYTES = 32;

const sizeOfList = (list: KnownList | undefined): number => LIST_OVERHEAD_BYTES + (list?.ids.length ?? 0) * ENTRY_BYTES;
