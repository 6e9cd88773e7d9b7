import type DataLoader from 'dataloader';
import type { KnownList } from '../cache/known-lists.ts';
import type { KnownRowsOf, ListsRead } from '../cache/known-rows.ts';
import type { Notice, NoticeType } from '../database/generated/client/client.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { type LoaderScope, memo } from '../graphql/context.ts';
import { ViewCountPlaceholder } from '../graphql/view-count.ts';
import { inEffect, readable } from './in-effect.ts';
import * as statements from './notice.sql.ts';

interface NoticePageKey {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly keyword: string | null;
  readonly type: NoticeType | null;
}

export interface NoticePageRows {
  readonly items: Notice[];
  readonly total: number;
}

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly notice: NoticeLoaders;
  }
}

export interface NoticeLoaders {
  /** Every notice in effect: pinned first, then latest start. */
  readonly inEffect: () => Notice[] | Promise<Notice[]>;
  readonly page: (key: NoticePageKey) => NoticePageRows | Promise<NoticePageRows>;
  /** When the list in effect next changes with time alone; null: never, as far as it is planned. */
  readonly nextChangeAt: () => Promise<Date | null>;
  /** A readable notice, else null. Where the operation counts views, its count is a placeholder, and the hints name the notice. */
  readonly viewed: (id: number) => Promise<Notice | null>;
}

/** A row that is known. */
export interface ReadNotice extends Notice {
  /** When it was read, by `performance.now()`. */
  readonly readMs: number;
  readonly endsMs: number | undefined;
}

/** The ids of the notices in effect. */
interface NoticeList extends KnownList {
  /** From then on they are in effect, in the database's milliseconds. */
  readonly sinceMs: number;
}

/** What the loaders of all operations share. Lists are kept for later operations where they are to be, and are then read as of now. */
export interface NoticeReads {
  readonly inEffect: (now: Date, isKept: boolean) => Promise<Notice[]>;
  readonly page: (key: NoticePageKey, now: Date, isKept: boolean) => Promise<NoticePageRows>;
  readonly nextChangeAt: (now: Date) => Promise<Date | null>;
  readonly byId: DataLoader<number, Notice | null>;
}

/** Nobody is notified when a view count grows: a row is known for this long, and a response that shows its count is kept for three seconds more. */
const MAX_ROW_AGE_MS = 1000;

const listName = (type: NoticeType | null): string => `in effect ${type ?? ''}`;

const hasKeyword = ({ keyword }: NoticePageKey): boolean => !!keyword?.trim();

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

interface PageRow extends Notice {
  readonly total: string;
  /** Of all pages, in the first row. */
  readonly ids: number[] | null;
}

export const createNoticeReads = (sql: Sql, known?: KnownRowsOf<ReadNotice>): NoticeReads => {
  const keep = async <Row extends Notice>(lists: ListsRead | undefined, read: () => Promise<Row[]>): Promise<Row[]> => {
    if (!known || !lists) return read();
    return known.keep(async () => {
      const readMs = performance.now();
      const rows = await read();
      return rows.map((row) => Object.assign(row, { readMs, endsMs: row.endsAt?.getTime() }));
    });
  };

  const keepList = (lists: ListsRead | undefined, type: NoticeType | null, ids: readonly number[]): void =>
    lists?.keep<NoticeList>(listName(type), { ids, sinceMs: lists.now.getTime() });

  return {
    inEffect: async (now, isKept) => {
      const lists = isKept ? known?.beginLists() : undefined;
      const rows = await keep(lists, () => sql.storedRows<Notice>(statements.noticesInEffect, [lists?.now ?? now]));
      if (rows.length <= statements.MAX_KNOWN_IDS)
        keepList(
          lists,
          null,
          rows.map(({ id }) => id),
        );
      return rows;
    },
    page: async (key, now, isKept) => {
      const { page, pageSize, keyword, type } = key;
      // No text in PostgreSQL has a NUL, so nothing matches; as a parameter it would be an error.
      if (keyword?.includes('\0')) return { items: [], total: 0 };
      const lists = isKept && !hasKeyword(key) ? known?.beginLists() : undefined;
      const pattern = hasKeyword(key) ? `%${escapeLike(keyword ?? '')}%` : null;
      const values = [lists?.now ?? now, pageSize, (page - 1) * pageSize, type, pattern];
      const statement = lists ? statements.noticePageWithIds : statements.noticePage;
      let first: PageRow | undefined;
      const items = await keep(lists, async () => {
        const rows = await sql.storedRows<PageRow>(statement, values);
        [first] = rows;
        return rows.filter((row) => row.id !== null);
      });
      const total = Number(first?.total ?? 0);
      if (total <= statements.MAX_KNOWN_IDS) keepList(lists, type, first?.ids ?? []);
      return { items, total };
    },
    nextChangeAt: async (now) => {
      const rows = await sql.rows<{ nextChangeAt: Date | null }>(statements.nextNoticeChange, [now]);
      return rows[0]?.nextChangeAt ?? null;
    },
    byId: createSharedLoader({
      read: (ids) => sql.storedRows<Notice>(statements.noticesById, [ids]),
      keyOf: ({ id }) => id,
    }),
  };
};

/** Loaders for one operation. */
export const createNoticeLoaders = (
  reads: NoticeReads,
  { hints, now }: LoaderScope,
  known?: KnownRowsOf<ReadNotice>,
): NoticeLoaders => {
  let current: Notice[] | Promise<Notice[]> | undefined;

  const read = async (id: number): Promise<Notice | null> => {
    hints.dependsOn('notice');
    const notice = await reads.byId.load(id);
    return notice && readable.holds(notice, now) ? notice : null;
  };

  const readCounted = async (id: number): Promise<Notice | null> => {
    const notice = await read(id);
    if (!notice) return null;
    hints.showsViews(id);
    // It throws where anything but writing is done with it.
    return Object.create(notice, { viewCount: { value: new ViewCountPlaceholder(id) } });
  };

  const listed = (notices: Notice[]): Notice[] => {
    for (const { endsAt } of notices) if (endsAt) hints.showsUntil(endsAt.getTime());
    return notices;
  };

  const areInEffect = (notices: readonly Notice[]): boolean => notices.every((notice) => inEffect.holds(notice, now));

  /** The ids of a list, and those rows of it that are wanted, where all are known and were in effect when the operation began. */
  const findList = (
    type: NoticeType | null,
    from = 0,
    to?: number,
  ): { readonly rows: ReadNotice[]; readonly total: number } | undefined => {
    const list = known?.findList<NoticeList>(listName(type), now);
    if (!list || list.sinceMs > now.getTime()) return undefined;
    const oldestMs = performance.now() - MAX_ROW_AGE_MS;
    const rows: ReadNotice[] = [];
    for (const id of list.ids.slice(from, to)) {
      const row = known?.find(id);
      if (!row || row.readMs < oldestMs) return undefined;
      if (row.endsMs !== undefined) hints.showsUntil(row.endsMs);
      rows.push(row);
    }
    return { rows, total: list.ids.length };
  };

  const readAll = async (isKept: boolean): Promise<Notice[]> => {
    const notices = await reads.inEffect(now, isKept);
    // One that has begun since the operation did is not in effect for the rest of the response.
    return listed(isKept && !areInEffect(notices) ? await reads.inEffect(now, false) : notices);
  };

  const readPage = async (key: NoticePageKey, isKept: boolean): Promise<NoticePageRows> => {
    const page = await reads.page(key, now, isKept);
    const { items, total } = isKept && !areInEffect(page.items) ? await reads.page(key, now, false) : page;
    return { items: listed(items), total };
  };

  const all = (): Notice[] | Promise<Notice[]> => {
    if (!known?.mayUse(hints)) return readAll(false);
    return findList(null)?.rows ?? readAll(true);
  };

  return {
    inEffect: () => {
      hints.dependsOn('notice');
      current ??= all();
      return current;
    },
    page: (key) => {
      hints.dependsOn('notice');
      if (!known?.mayUse(hints)) return readPage(key, false);
      const { page, pageSize, type } = key;
      const found = hasKeyword(key) ? undefined : findList(type, (page - 1) * pageSize, page * pageSize);
      return found ? { items: found.rows, total: found.total } : readPage(key, true);
    },
    nextChangeAt: () => {
      hints.dependsOn('notice');
      return reads.nextChangeAt(now);
    },
    viewed: memo(hints.countsViews ? readCounted : read),
  };
};
