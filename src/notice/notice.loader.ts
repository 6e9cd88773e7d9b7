import { LateValue } from '../cache/late-value.ts';
import type { Notice, NoticeType, Prisma } from '../database/generated/client/client.ts';
import { rowsBy } from '../database/prisma.ts';
import { isStorable } from '../database/sql.ts';
import type { LoaderScope, ReadDeps } from '../graphql/context.ts';
import { memo } from '../memo.ts';
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

/** Makes the loaders of each operation. */
export const createNoticeLoaders = ({ sql, prisma, late }: ReadDeps) => {
  const byId = rowsBy('id', (where) => prisma.notice.findMany({ where }));
  return ({ dependencies, now, language }: LoaderScope) => {
    const listed = (notices: Notice[]): Notice[] => {
      for (const { endsAt } of notices) if (endsAt) dependencies.showsUntil(endsAt.getTime());
      return notices;
    };

    return {
      /** Every notice in effect: pinned first, then latest start. */
      inEffect: memo(async () => {
        dependencies.add('notice');
        return listed(await prisma.notice.findMany({ where: inEffect.where(now), orderBy: PINNED_FIRST }));
      }),
      page: memo(async ({ page, pageSize, keyword, type }: NoticePageKey) => {
        dependencies.add('notice');
        if (keyword !== null && !isStorable(keyword)) return { items: [], total: 0 };
        const values = [now, pageSize, (page - 1) * pageSize, type, keyword?.trim() ? keyword : null];
        const rows = await sql.rows<PageRow>(statements.noticePage(language.fallBacks), values);
        return { items: listed(rows.filter((row) => row.id !== null)), total: Number(rows[0]?.total ?? 0) };
      }, JSON.stringify),
      /** When the list in effect next changes with time alone; null: never, as far as it is planned. */
      nextChangeAt: memo(async () => {
        dependencies.add('notice');
        const [row] = await sql.rows<{ nextChangeAt: Date | null }>(statements.nextNoticeChange, [now]);
        return row?.nextChangeAt ?? null;
      }),
      /** A readable notice, else null. Where the operation takes late values, its view count is one. */
      viewed: memo(async (id: number): Promise<Notice | null> => {
        dependencies.add('notice');
        const notice = await byId.load(id);
        if (!notice || !readable.holds(notice, now)) return null;
        if (!late || !dependencies.takesLate) return notice;
        const view = new LateValue(viewKey(id), () => late.take(id));
        dependencies.late.set(view.key, view);
        // It throws where anything but writing is done with it.
        return Object.create(notice, { viewCount: { value: view } });
      }),
    };
  };
};
