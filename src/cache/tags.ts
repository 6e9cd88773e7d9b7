/** A table whose rows cached responses show, as its feature registers it. */
export interface CachedTable {
  readonly table: string;
  /**
   * The number of tags for its rows, and for the groups that its rows are in (the products of a category). Powers of two: rows, and groups, whose
   * ids differ by a multiple share a tag. Without: every change is one of the whole table.
   */
  readonly tags?: { readonly rows: number; readonly groups: { readonly column: string; readonly size: number } };
  /** When what is shown of it next changes with time alone, after a given time: both are SQL expressions. Without: never. */
  readonly nextChangeSql?: (after: string) => string;
}

/** Something that a response can depend on: a table, a row, the rows of a group, or any row. */
export type Tag = number;

export interface TableTags {
  /** Touched where any row may have changed: every response that shows the table depends on it. */
  readonly whole: Tag;
  /** Touched by every change of a row. */
  readonly anyRow: Tag;
  /** The row with an id, whether there is one or not. */
  readonly row: (id: number) => Tag;
  /** The rows that are, were or will be in a group. */
  readonly group: (id: number) => Tag;
}

/** The tags of all tables: numbers from 0. */
export interface Tags {
  readonly tables: readonly CachedTable[];
  readonly of: (table: string) => TableTags;
  readonly count: number;
}

export const createTags = (tables: readonly CachedTable[]): Tags => {
  const byTable = new Map<string, TableTags>();
  let count = 0;
  for (const { table, tags } of tables) {
    const whole = count;
    if (tags) {
      const { rows, groups } = tags;
      const firstRow = whole + 2;
      const firstGroup = firstRow + rows;
      byTable.set(table, {
        whole,
        anyRow: whole + 1,
        row: (id) => firstRow + (id & (rows - 1)),
        group: (id) => firstGroup + (id & (groups.size - 1)),
      });
      count = firstGroup + groups.size;
    } else {
      byTable.set(table, { whole, anyRow: whole, row: () => whole, group: () => whole });
      count = whole + 1;
    }
  }
  return {
    tables,
    count,
    of: (table) => {
      const tags = byTable.get(table);
      if (!tags) throw new Error(`no feature registers the table "${table}"`);
      return tags;
    },
  };
};

/** Something that was read, and is true until one of its tags changes, or the beginning of one of its lists. */
export interface TaggedRead {
  readonly tags: readonly Tag[];
  readonly lists?: readonly ListBeginning[];
  /** The number of the latest change up to which none of its tags has changed. */
  trueAt: number;
}

/** What a response shows of a list. */
export interface ListBeginning {
  readonly list: ListVersion;
  /** Its first places, the end of a shorter list among them: nothing behind them has a part in the response. */
  readonly places: number;
}

/** A list of rows that is kept as changes are notified: `known-lists.ts`. */
export interface ListVersion {
  /** The number of the last change that altered the order of its first places or one of their rows; infinite once the list is no longer kept. */
  readonly alteredAt: (places: number) => number;
  /** The number of the first change of which nobody knows yet whether it alters the list; infinite where there is none. */
  readonly unknownSince: number;
  /** Of a list that had to make room, unaltered: the tag of its rows, and the number of the last change that it followed. */
  readonly released: { readonly tag: Tag; readonly at: number } | undefined;
  /** Waits until all changes up to this number are known. */
  readonly learn: (upTo: number) => Promise<void>;
  /** Whether they are, or only such are not known that need not show yet, in a flood of changes. */
  readonly isEnough: (upTo: number) => boolean;
}

/**
 * What has changed, and in what order. Every change has a number, and every tag the number of the last change that touched it: a read is
 * still true while no tag that it depends on has a higher number than it began at.
 */
export interface TagVersions {
  readonly tags: Tags;
  /** The number of the latest change. */
  readonly sequence: number;
  /**
   * Whether one of the tags or lists of a read has changed since. A read that is still true learns so, that the next look is quick.
   * @param upTo changes of lists count that have no higher number. @default all
   */
  readonly hasChanged: (read: TaggedRead, upTo?: number) => boolean;
  readonly changed: (change: Change) => void;
  /** The number of the last change of any row of a table. */
  readonly lastChangeOf: (table: string) => number;
  /** Calls back at each change. @returns what ends that */
  readonly watch: (onChange: (change: Change) => void) => () => void;
  /** Calls back before each change counts: what is true until then can be made true from the next number on. */
  readonly watchBefore: (onChange: (change: Change) => void) => void;
}

export const NO_LISTS: readonly ListBeginning[] = [];

export const createTagVersions = (tables: readonly CachedTable[]): TagVersions => {
  const tags = createTags(tables);
  // Numbers are exact up to 2^53, which is enough for 285 years of a million changes a second. The array takes memory only where tags have changed:
  // 8 MB at most for the products.
  const lastChange = new Float64Array(tags.count);
  const watchers = new Set<(change: Change) => void>();
  const watchersBefore: ((change: Change) => void)[] = [];

  const touch = ({ table, rows }: Change, sequence: number): void => {
    const { whole, anyRow, row, group } = tags.of(table);
    if (!rows) {
      lastChange[whole] = sequence;
      return;
    }
    lastChange[anyRow] = sequence;
    for (const id of rows.ids) lastChange[row(id)] = sequence;
    for (const id of rows.groupIds) lastChange[group(id)] = sequence;
  };

  const versions: TagVersions & { sequence: number } = {
    tags,
    sequence: 0,
    hasChanged: (read: TaggedRead, upTo = versions.sequence): boolean => {
      const { sequence } = versions;
      if (read.trueAt === sequence) return false;
      const { tags: readTags, trueAt } = read;
      // By index: arrays of several kinds come here, which V8 iterates four times as slowly (docs/fast-path.md).
      for (let index = 0; index < readTags.length; index += 1) {
        if ((lastChange[readTags[index] ?? 0] ?? 0) > trueAt) return true;
      }
      let isKnown = true;
      for (const { list, places } of read.lists ?? NO_LISTS) {
        const { unknownSince, released } = list;
        if (unknownSince <= upTo || list.alteredAt(places) > read.trueAt) return true;
        if (released && (lastChange[released.tag] ?? 0) > Math.max(released.at, read.trueAt)) return true;
        if (unknownSince <= sequence) isKnown = false;
      }
      if (isKnown) read.trueAt = sequence;
      return false;
    },
    changed: (change: Change): void => {
      for (const onChange of watchersBefore) onChange(change);
      versions.sequence += 1;
      touch(change, versions.sequence);
      for (const onChange of watchers) onChange(change);
    },
    lastChangeOf: (table: string): number => {
      const { whole, anyRow } = tags.of(table);
      return Math.max(lastChange[whole] ?? 0, lastChange[anyRow] ?? 0);
    },
    watch: (onChange: (change: Change) => void) => {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
    watchBefore: (onChange: (change: Change) => void) => {
      watchersBefore.push(onChange);
    },
  };
  return versions;
};

/** What a statement changed, as the triggers notify it. */
export interface Change {
  readonly table: string;
  /** Undefined: any row may have changed. */
  readonly rows?: {
    /** Before and after the statement. */
    readonly ids: readonly number[];
    /** The groups in which they were, or are now. */
    readonly groupIds: readonly number[];
    /** When what is shown of these rows next changes with time alone, in the database's milliseconds; infinite for never. */
    readonly nextChangeMs: number;
    /** Where it is one row, and the notification says what it is now. */
    readonly now?: RowNow;
  };
}

export interface RowNow {
  readonly id: number;
  /** It stays in its group. */
  readonly groupId: number;
  /** As the trigger of its table writes them. */
  readonly values: string;
}

const INTEGERS = /^-?\d+(,-?\d+)*$/;

/**
 * Reads a payload of the channel: `product 17,18 3,4`, or `product 17 3 1790000000000.5` with the next change, or of one row
 * `product 17 3 Infinity 12.50,4` with what it is now. `product` alone, or with anything that cannot be read, means that any row may have changed.
 * Undefined for a table that is not cached.
 */
export const readChange = (payload: string, tables: readonly CachedTable[]): Change | undefined => {
  const [name = '', ids = '', groupIds = '', next = 'Infinity', values, ...more] = payload.split(' ');
  const table = tables.find((each) => each.table === name);
  if (!table) return undefined;
  const nextChangeMs = Number(next);
  const isExact = table.tags && INTEGERS.test(ids) && INTEGERS.test(groupIds) && more.length === 0;
  const isOfOne = !`${ids}${groupIds}`.includes(',');
  if (!isExact || Number.isNaN(nextChangeMs) || (values !== undefined && !isOfOne)) return { table: name };
  const rows = { ids: ids.split(',').map(Number), groupIds: groupIds.split(',').map(Number), nextChangeMs };
  if (values === undefined) return { table: name, rows };
  return { table: name, rows: { ...rows, now: { id: Number(ids), groupId: Number(groupIds), values } } };
};
