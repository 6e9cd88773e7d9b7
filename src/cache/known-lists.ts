import type { Change, ListVersion, RowNow, Tag } from './tags.ts';

/** Rows in their order. */
export interface KnownList {
  readonly ids: readonly number[];
}

/** How the lists of a table are kept as its rows are. */
export interface ListSource<List extends KnownList, Row extends { readonly id: number }> {
  /** Those rows that there are. */
  readonly readRows: (ids: readonly number[]) => Promise<Row[]>;
  /**
   * The list after a row has changed: the same one where neither its order nor a row of it can have changed, undefined where only the database knows.
   * @param row as it is now; undefined where there is none
   */
  readonly withRow: (list: List, id: number, row: Row | undefined, now: Date) => List | undefined;
  /** What a notification says that a row is now, as far as lists need it; undefined where nobody can tell. */
  readonly rowOf: (now: RowNow) => Row | undefined;
}

export interface FoundList<List> {
  readonly list: List;
  readonly version: ListVersion;
}

/**
 * Lists that are kept while rows change. A row whose notification says what it is now is put into its place at once. Any other change that may concern a list
 * is only noted with it, so a list that nobody asks for takes no statement; once it is asked for, the rows that changed are read, for all lists by one
 * statement, and put into their places.
 */
export interface KnownLists<List> {
  /** A list with every change that was notified so far: at once, or after rows were read. @param now of the operation */
  readonly find: (name: string, now: Date) => FoundList<List> | Promise<FoundList<List> | undefined> | undefined;
  /** To be called before a list is read: changes are noted from then on. @param group undefined for all rows of the table */
  readonly begin: (name: string, group: number | undefined) => ListRead<List>;
  /** When rows must show that are in a list that is read now, by the database's clock. */
  readonly now: () => Date;
}

/** A list that is being read. */
export interface ListRead<List> {
  /** Keeps what was read. Undefined where it cannot be kept. */
  readonly keep: (list: List) => FoundList<List> | undefined;
  /** No change is noted any more, unless the list is kept. */
  readonly end: () => void;
}

interface Options<List extends KnownList, Row extends { readonly id: number }> {
  readonly table: string;
  readonly source: ListSource<List, Row>;
  /** It forgets some to make room. */
  readonly store: {
    readonly get: (name: string) => KeptList<List> | undefined;
    /** @returns whether there is room for it */
    readonly set: (name: string, list: KeptList<List>) => boolean;
    readonly delete: (list: KeptList<List>) => void;
  };
  /** The number of the latest change. */
  readonly sequence: () => number;
  /** Of the rows of a group, or of any row. */
  readonly tagOf: (group: number | undefined) => Tag;
  readonly now: () => Date;
  /** When what is shown of the table next changes with time alone, in the database's milliseconds; undefined while it is not known. */
  readonly nextChangeMs: () => number | undefined;
  /** Every commit that was acknowledged before is notified, by `performance.now()`. */
  readonly asOfMs: () => number;
  /** A commit may be missed for this long. */
  readonly freshnessMs: number;
}

/** With more rows to be read, reading the list costs less. */
const MAX_UNKNOWN = 100;

/** Rows that change one after another are read together. */
const COLLECT_MS = 2;

/** A list whose rows were read so often, each time within twice the bound of the last, is in a flood of changes: then they are read once within it. */
const FLOOD_READS = 4;

const NEVER = Number.POSITIVE_INFINITY;

/** A list, and the changes that are not in it yet. */
export class KeptList<List extends KnownList> implements ListVersion {
  readonly name: string;
  readonly group: number | undefined;
  readonly untilMs: number;
  list: List | undefined = undefined;
  unknownSince = NEVER;
  /** Of the rows that changed; undefined for none, as most lists have. */
  unknown: Map<number, RowChanges> | undefined = undefined;
  /** Every commit that was acknowledged before is in the list, by `performance.now()`. */
  asOfMs = Number.NEGATIVE_INFINITY;
  /** How often in a row its rows were read again soon after the last time. */
  rereads = 0;
  released: ListVersion['released'] = undefined;
  isForgotten = false;
  /** For each number of first places, the last change that altered one of them. What rests on the list was made of it, so what changed before is in it. */
  readonly #alteredAt: number[] = [];
  readonly #keeper: Keeper<List>;

  constructor(keeper: Keeper<List>, name: string, group: number | undefined, untilMs: number) {
    this.#keeper = keeper;
    this.name = name;
    this.group = group;
    this.untilMs = untilMs;
  }

  alteredAt(places: number): number {
    if (this.isForgotten) return NEVER;
    return this.#alteredAt[places] ?? this.#alteredAt.at(-1) ?? 0;
  }

  /** Takes the list as it is after a change of one row. @param place the first that the change altered */
  alter(list: List, place: number, changedAt: number): void {
    this.list = list;
    // What altered any of fewer places altered one of more.
    const length = Math.max(place + 1, list.ids.length);
    while (this.#alteredAt.length <= length) this.#alteredAt.push(this.#alteredAt.at(-1) ?? 0);
    for (let places = place + 1; places < this.#alteredAt.length; places += 1) {
      this.#alteredAt[places] = Math.max(this.#alteredAt[places] ?? 0, changedAt);
    }
  }

  learn(upTo: number): Promise<void> {
    return this.#keeper.learn(this, upTo);
  }

  isEnough(upTo: number): boolean {
    if (this.unknownSince > upTo) return true;
    return this.rereads >= FLOOD_READS && performance.now() - this.asOfMs < this.#keeper.freshnessMs;
  }

  /** What rests on it is no longer true, and no change of it is noted any more. */
  forget(): void {
    if (this.isForgotten) return;
    this.isForgotten = true;
    this.unknown = undefined;
    this.unknownSince = NEVER;
    this.#keeper.forgotten(this);
  }

  /** It has to make room for others: what rests on it stays true until any row of its group changes. */
  release(): void {
    if (this.isForgotten) return;
    if (this.unknown) {
      this.forget();
      return;
    }
    this.list = undefined;
    this.released = { tag: this.#keeper.tagOf(this.group), at: this.#keeper.sequence() };
    this.#keeper.forgotten(this);
  }

  note(ids: readonly number[], sequence: number): void {
    this.unknown ??= new Map();
    for (const id of ids) {
      const changes = this.unknown.get(id);
      if (changes) changes.last = sequence;
      else this.unknown.set(id, { first: sequence, last: sequence });
    }
    if (this.unknownSince === NEVER) this.unknownSince = sequence;
  }

  /** Rows are in the list as they were after this change, or later: those that have changed since may be otherwise now. */
  settle(ids: readonly number[], upTo: number): void {
    for (const id of ids) {
      const changes = this.unknown?.get(id);
      if (changes && changes.last > upTo) changes.first = upTo + 1;
      else this.unknown?.delete(id);
    }
    if (this.unknown?.size === 0) this.unknown = undefined;
    this.unknownSince = NEVER;
    for (const { first } of this.unknown?.values() ?? []) this.unknownSince = Math.min(this.unknownSince, first);
  }
}

/** The numbers of the first and of the last change of a row that is not in the list yet. */
interface RowChanges {
  first: number;
  last: number;
}

interface Keeper<List extends KnownList> {
  readonly freshnessMs: number;
  /** The number of the latest change. */
  readonly sequence: () => number;
  /** Of the rows of a group, or of any row. */
  readonly tagOf: (group: number | undefined) => Tag;
  learn(list: KeptList<List>, upTo: number): Promise<void>;
  forgotten(list: KeptList<List>): void;
}

export const createKnownLists = <List extends KnownList, Row extends { readonly id: number }>({
  table,
  source,
  store,
  sequence,
  tagOf,
  now,
  nextChangeMs,
  asOfMs,
  freshnessMs,
}: Options<List, Row>): KnownLists<List> & { readonly changed: (change: Change) => void } => {
  const byGroup = new Map<number | undefined, Set<KeptList<List>>>();
  /** Those with changes that are not in them yet. */
  const behind = new Set<KeptList<List>>();
  /** Those that somebody waits for. */
  const wanted = new Set<KeptList<List>>();
  let next: Promise<void> | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let reading: { readonly lists: ReadonlySet<KeptList<List>>; readonly upTo: number } | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;

  const forgotten = (kept: KeptList<List>): void => {
    behind.delete(kept);
    wanted.delete(kept);
    const group = byGroup.get(kept.group);
    group?.delete(kept);
    if (group?.size === 0) byGroup.delete(kept.group);
  };

  const drop = (kept: KeptList<List>): void => {
    kept.forget();
    store.delete(kept);
  };

  const note = (kept: KeptList<List>, ids: readonly number[]): void => {
    kept.note(ids, sequence());
    behind.add(kept);
    if ((kept.unknown?.size ?? 0) > MAX_UNKNOWN) drop(kept);
  };

  const settle = (kept: KeptList<List>, ids: readonly number[], upTo: number): void => {
    kept.settle(ids, upTo);
    if (!kept.unknown) behind.delete(kept);
  };

  /** @returns whether the list is still kept */
  const putRow = (kept: KeptList<List>, id: number, row: Row | undefined, changedAt: number, at: Date): boolean => {
    const list = kept.list && source.withRow(kept.list, id, row, at);
    if (!kept.list || !list) {
      drop(kept);
      return false;
    }
    if (list !== kept.list) kept.alter(list, firstPlaceOf(id, kept.list, list), changedAt);
    return true;
  };

  const put = (kept: KeptList<List>, rows: ReadonlyMap<number, Row | undefined>, upTo: number, at: Date): void => {
    const read: number[] = [];
    for (const [id, { first }] of kept.unknown ?? []) {
      // What changed after the statement was sent may be missing in its rows.
      if (!kept.list || !rows.has(id) || first > upTo) continue;
      if (!putRow(kept, id, rows.get(id), first, at)) return;
      read.push(id);
    }
    settle(kept, read, upTo);
  };

  const readRows = async (): Promise<void> => {
    const lists = new Set(wanted);
    wanted.clear();
    const rows = new Map<number, Row | undefined>();
    for (const { unknown } of lists) for (const id of unknown?.keys() ?? []) rows.set(id, undefined);
    if (rows.size === 0) return;
    const [upTo, at, readAsOfMs] = [sequence(), now(), asOfMs()];
    reading = { lists, upTo };
    try {
      for (const row of await source.readRows([...rows.keys()])) rows.set(row.id, row);
    } catch {
      // Who waits for a list reads all of it, and meets the failure.
      lists.forEach(drop);
      return;
    } finally {
      reading = undefined;
    }
    for (const kept of behind) put(kept, rows, upTo, at);
    for (const kept of lists) {
      kept.rereads = readAsOfMs - kept.asOfMs < freshnessMs * 2 ? kept.rereads + 1 : 0;
      kept.asOfMs = readAsOfMs;
    }
  };

  /** One statement at a time: what is asked for meanwhile is read by the next one. */
  const readNext = (): Promise<void> => {
    next ??= underWay.then(async () => {
      const waitMs = lastMs + COLLECT_MS - performance.now();
      await new Promise((resolve) => (waitMs > 0 ? setTimeout(resolve, waitMs) : setImmediate(resolve)));
      next = undefined;
      lastMs = performance.now();
      underWay = readRows();
      await underWay;
    });
    return next;
  };

  const learn = async (kept: KeptList<List>, upTo: number): Promise<void> => {
    while (kept.list && kept.unknownSince <= upTo) {
      const isBeingRead = reading?.lists.has(kept) && upTo <= reading.upTo;
      if (!isBeingRead) wanted.add(kept);
      await (isBeingRead ? underWay : readNext());
    }
  };

  const keeper: Keeper<List> = { freshnessMs, sequence, tagOf, learn, forgotten };

  return {
    now,
    changed: ({ table: changed, rows }) => {
      if (changed !== table) return;
      const groups = rows ? [undefined, ...new Set(rows.groupIds)] : [...byGroup.keys()];
      const row = rows?.now && source.rowOf(rows.now);
      for (const group of groups) {
        for (const kept of byGroup.get(group) ?? []) {
          if (!rows || rows.ids.length > MAX_UNKNOWN) drop(kept);
          // One that is being read may have the row as it was.
          else if (!row || !kept.list) note(kept, rows.ids);
          else if (putRow(kept, row.id, row, sequence(), now())) settle(kept, [row.id], sequence());
        }
      }
    },
    find: (name, operationNow) => {
      const kept = store.get(name);
      if (!kept?.list || kept.isForgotten || operationNow.getTime() >= kept.untilMs) return undefined;
      if (kept.unknownSince === NEVER) return { list: kept.list, version: kept };
      return kept
        .learn(sequence())
        .then(() => (kept.list && !kept.isForgotten ? { list: kept.list, version: kept } : undefined));
    },
    begin: (name, group) => {
      const untilMs = nextChangeMs();
      if (untilMs === undefined) return { keep: () => undefined, end: () => {} };
      const kept = new KeptList<List>(keeper, name, group, untilMs);
      const others = byGroup.get(group) ?? new Set();
      byGroup.set(group, others.add(kept));
      return {
        keep: (list) => {
          if (kept.isForgotten) return undefined;
          kept.list = list;
          if (!store.set(name, kept)) kept.forget();
          return kept.isForgotten ? undefined : { list, version: kept };
        },
        end: () => {
          if (!kept.list) kept.forget();
        },
      };
    },
  };
};

/** Where a row was in a list or is now, whichever comes first: no place before that is altered. */
export const firstPlaceOf = (id: number, before: KnownList, after: KnownList): number => {
  const places = [before.ids.indexOf(id), after.ids.indexOf(id)].filter((place) => place >= 0);
  return places.length > 0 ? Math.min(...places) : 0;
};
