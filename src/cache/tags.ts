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
  readonly anyRow: Tag;
  /** The row with an id, whether there is one or not. */
  readonly row: (id: number) => Tag;
  /** The rows that are, were or will be in a group. */
  readonly group: (id: number) => Tag;
}

/** Something that was read, and is true until one of its tags changes. */
export interface TaggedRead {
  readonly tags: readonly Tag[];
  /** The number of the latest change up to which none of its tags has changed. */
  trueAt: number;
}

/** Every change has a number, and every tag the number of its last change: a read is true while none of its tags has a later one. */
export class TagVersions {
  readonly tables: readonly CachedTable[];
  /** The number of the latest change. */
  sequence = 0;
  readonly #tags = new Map<string, TableTags>();
  /** Its pages take memory once a tag in them has changed: 8 MB at most for the products. */
  readonly #lastChange: Float64Array;
  readonly #watchers = new Set<(change: Change) => void>();

  constructor(tables: readonly CachedTable[]) {
    this.tables = tables;
    let count = 0;
    for (const { table, tags } of tables) {
      const whole = count;
      if (!tags) {
        this.#tags.set(table, { whole, anyRow: whole, row: () => whole, group: () => whole });
        count = whole + 1;
        continue;
      }
      const { rows, groups } = tags;
      const firstRow = whole + 2;
      const firstGroup = firstRow + rows;
      this.#tags.set(table, {
        whole,
        anyRow: whole + 1,
        row: (id) => firstRow + (id & (rows - 1)),
        group: (id) => firstGroup + (id & (groups.size - 1)),
      });
      count = firstGroup + groups.size;
    }
    this.#lastChange = new Float64Array(count);
  }

  /** Undefined for a table that is not watched. */
  of(table: string): TableTags | undefined {
    return this.#tags.get(table);
  }

  /** Whether one of the tags of a read has changed since. Where none has, `trueAt` moves on, so that the next call is quick. */
  hasChanged(read: TaggedRead): boolean {
    if (read.trueAt === this.sequence) return false;
    const { tags, trueAt } = read;
    // By index: arrays of several kinds come here, which V8 iterates four times as slowly.
    for (let index = 0; index < tags.length; index += 1) {
      if ((this.#lastChange[tags[index] ?? 0] ?? 0) > trueAt) return true;
    }
    read.trueAt = this.sequence;
    return false;
  }

  changed(change: Change): void {
    this.sequence += 1;
    for (const tag of this.#touchedBy(change)) this.#lastChange[tag] = this.sequence;
    for (const onChange of this.#watchers) onChange(change);
  }

  #touchedBy({ table, rows }: Change): readonly Tag[] {
    const tags = this.of(table);
    if (!tags) return [];
    return rows ? [tags.anyRow, ...rows.ids.map(tags.row), ...rows.groupIds.map(tags.group)] : [tags.whole];
  }

  /** Calls back at each change. @returns what ends that */
  watch(onChange: (change: Change) => void): () => void {
    this.#watchers.add(onChange);
    return () => void this.#watchers.delete(onChange);
  }
}

/** A change by a statement, as the triggers notify it. */
export interface Change {
  readonly table: string;
  /** Nothing was written: the clock was set back, and responses were made by a later time. */
  readonly isOfClock?: boolean;
  /** Undefined: any row may have changed. */
  readonly rows?: {
    /** Before and after the statement. */
    readonly ids: readonly number[];
    /** The groups in which they were, or are now. */
    readonly groupIds: readonly number[];
    /** When what is shown of these rows next changes with time alone, in the database's milliseconds; infinite for never. */
    readonly nextChangeMs: number;
  };
}

const PAYLOAD = /^(.*?)(?: oid=(\d+))?$/s;
const INTEGERS = /^-?\d+(,-?\d+)*$/;

/**
 * Reads a payload of the channel: `product 17,18 3,4 1790000000000.5 oid=16385`, with the groups and the next change, or
 * `category oid=16390` where any row may have changed. A program that writes past the triggers may leave out all but the name.
 * Anybody can notify: a payload that names a table of ours and cannot be read means that any row of it may have changed.
 * @param oidOf a table of ours: a table of another schema may have its name
 * @returns undefined for a table that is not ours
 */
export const readChange = (
  payload: string,
  tables: readonly CachedTable[],
  oidOf: (table: string) => string | undefined,
): Change | undefined => {
  const [, text = '', oid] = PAYLOAD.exec(payload) ?? [];
  const found = tables.find(
    ({ table }) => `${text} `.startsWith(`${table} `) && (oid === undefined || oid === oidOf(table)),
  );
  if (!found) return undefined;
  const { table } = found;
  const [ids = '', groupIds = '', next = 'Infinity', ...more] = text.slice(table.length + 1).split(' ');
  const nextChangeMs = Number(next);
  const isExact = INTEGERS.test(ids) && INTEGERS.test(groupIds) && more.length === 0;
  if (!isExact || Number.isNaN(nextChangeMs)) return { table };
  const rows = { ids: ids.split(',').map(Number), groupIds: groupIds.split(',').map(Number), nextChangeMs };
  return [...rows.ids, ...rows.groupIds].every(isInt32) ? { table, rows } : { table };
};

/** As ids are: to read a row of another one would be an error. */
const isInt32 = (number: number): boolean => number === (number | 0);
