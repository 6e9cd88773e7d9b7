import { LateValue } from '../cache/late-value.ts';
import type { Notice, NoticeType, Prisma, PrismaClient } from '../database/generated/client/client.ts';
import { rowsBy } from '../database/prisma.ts';
import { isStorable, type Sql } from '../database/sql.ts';
import { type LateSource, type LoaderScope, memo, type ReadDeps } from '../graphql/context.ts';
import { inEffect, readable } from './in-effect.ts';
import * as statements from './notice.sql.ts';

interface NoticePageKey {
  readonly page: number;
  readonly pageSize: number;
  readonly keyword: string | null;
  readonly type: NoticeType | null;
}

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly notice: ReturnType<ReturnType<typeof createNoticeLoaders>>;
  }
}

interface PageRow extends Notice {
  readonly total: string;
}

/** As `notice.sql.ts` orders a page. */
const PINNED_FIRST: Prisma.NoticeOrderByWithRelationInput[] = [
  { pinned: 'desc' },
  { startsAt: 'desc' },
  { id: 'desc' },
];

/** The key of the late value that is the view count of a notice. */
export const viewKey = (id: number): string => `notice ${id}`;

/** What the loaders of all operations share. */
export const createNoticeReads = (sql: Sql, prisma: PrismaClient) => ({
  inEffect: (now: Date) => prisma.notice.findMany({ where: inEffect.where(now), orderBy: PINNED_FIRST }),
  page: async ({ page, pageSize, keyword, type }: NoticePageKey, now: Date, languages?: readonly string[]) => {
    if (keyword !== null && !isStorable(keyword)) return { items: [], total: 0 };
    const values = [now, pageSize, (page - 1) * pageSize, type, keyword?.trim() ? keyword : null];
    const rows = await sql.rows<PageRow>(statements.noticePage(languages), values);
    return { items: rows.filter((row) => row.id !== null), total: Number(rows[0]?.total ?? 0) };
  },
  nextChangeAt: async (now: Date) => {
    const rows = await sql.rows<{ nextChangeAt: Date | null }>(statements.nextNoticeChange, [now]);
    return rows[0]?.nextChangeAt ?? null;
  },
  byId: rowsBy('id', (where) => prisma.notice.findMany({ where })),
});

/** Makes the loaders of each operation. */
export const createNoticeLoaders = ({ sql, prisma, late }: ReadDeps) => {
  const reads = createNoticeReads(sql, prisma);
  return (scope: LoaderScope) => loadersOf(reads, scope, late);
};

/** Loaders for one operation. */
const loadersOf = (
  reads: ReturnType<typeof createNoticeReads>,
  { dependencies, now, language }: LoaderScope,
  late?: LateSource,
) => {
  let current: Promise<Notice[]> | undefined;
  let nextChange: Promise<Date | null> | undefined;

  const read = async (id: number): Promise<Notice | null> => {
    dependencies.add('notice');
    const notice = await reads.byId.load(id);
    return notice && readable.holds(notice, now) ? notice : null;
  };

  const readViewed = async (id: number): Promise<Notice | null> => {
    const notice = await read(id);
    if (!notice || !late) return notice;
    const view = new LateValue(viewKey(id), () => late.take(id));
    dependencies.late.set(view.key, view);
    // It throws where anything but writing is done with it.
    return Object.create(notice, { viewCount: { value: view } });
  };

  const listed = (notices: Notice[]): Notice[] => {
    for (const { endsAt } of notices) if (endsAt) dependencies.showsUntil(endsAt.getTime());
    return notices;
  };

  return {
    /** Every notice in effect: pinned first, then latest start. */
    inEffect: (): Promise<Notice[]> => {
      dependencies.add('notice');
      current ??= reads.inEffect(now).then(listed);
      return current;
    },
    page: memo(async (key: NoticePageKey) => {
      dependencies.add('notice');
      const { items, total } = await reads.page(key, now, language.fallBacks);
      return { items: listed(items), total };
    }, JSON.stringify),
    /** When the list in effect next changes with time alone; null: never, as far as it is planned. */
    nextChangeAt: (): Promise<Date | null> => {
      dependencies.add('notice');
      nextChange ??= reads.nextChangeAt(now);
      return nextChange;
    },
    /** A readable notice, else null. Where the operation takes late values, its view count is one. */
    viewed: memo(dependencies.takesLate ? readViewed : read),
  };
};
