import DataLoader from 'dataloader';
import { type Notice, type NoticeType, Prisma, type PrismaClient } from '../database/generated/client/client.ts';
import { NOTICE_COLUMNS } from './notice-columns.ts';
import { inEffectSql, isReadable } from './notice-window.ts';
import type { ViewCounter } from './view-counter.ts';

export interface NoticePageKey {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly keyword: string | null;
  readonly type: NoticeType | null;
}

export interface NoticeLoaders {
  /** Every notice in effect: pinned first, then latest start. */
  readonly noticesInEffect: () => Promise<Notice[]>;
  readonly noticePage: DataLoader<NoticePageKey, { items: Notice[]; total: number }, string>;
  /** A readable notice, its view counted (once an operation) and committed, else null. */
  readonly viewedNotice: DataLoader<number, Notice | null>;
}

interface Deps {
  readonly prisma: PrismaClient;
  readonly viewCounter: ViewCounter;
  readonly now: Date;
  /** False for HEAD, which looks without being a view. */
  readonly countViews: boolean;
}

const ORDER = Prisma.sql`order by n.pinned desc, n.starts_at desc, n.id desc`;

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

// ICU folds case alike in every database; under the C locale ASCII alone would fold. To upper case, because lower case has two
// sigmas, by what follows: "ΟΔΥΣ" would become "οδυς" and not be found in "οδυσσευς".
const contains = (keyword: string): Prisma.Sql => {
  const pattern = Prisma.sql`upper(${`%${escapeLike(keyword)}%`}::text collate "und-x-icu")`;
  const matches = (column: Prisma.Sql) => Prisma.sql`upper(${column} collate "und-x-icu") like ${pattern}`;
  return Prisma.sql`(${Prisma.join([Prisma.sql`n.title`, Prisma.sql`n.summary`, Prisma.sql`n.content`].map(matches), ' or ')})`;
};

/** Loaders for one operation. */
export const createNoticeLoaders = ({ prisma, viewCounter, now, countViews }: Deps): NoticeLoaders => {
  let inEffect: Promise<Notice[]> | undefined;

  // The page and the total in one statement: the left join keeps the total where the page is empty.
  const readPage = async ({ page, pageSize, keyword, type }: NoticePageKey) => {
    // No text in PostgreSQL holds a NUL, so nothing matches one; sent as a parameter it would be an error.
    if (keyword?.includes('\0')) return { items: [], total: 0 };
    const conditions = [inEffectSql(now)];
    if (type) conditions.push(Prisma.sql`n.type = ${type}::notice_type`);
    if (keyword?.trim()) conditions.push(contains(keyword));
    const where = Prisma.join(conditions, ' and ');
    const rows = await prisma.$queryRaw<({ total: bigint } & Notice)[]>`
      select matching.total, ${NOTICE_COLUMNS}
      from (select count(*) as total from notice n where ${where}) matching
      left join lateral (
        select * from notice n where ${where} ${ORDER} limit ${pageSize} offset ${BigInt(page - 1) * BigInt(pageSize)}
      ) n on true
      ${ORDER}`;
    return { items: rows.filter((row) => row.id !== null), total: Number(rows[0]?.total ?? 0) };
  };

  const readWithoutCounting = async (ids: readonly number[]) => {
    const notices = await prisma.notice.findMany({ where: { id: { in: [...ids] } } });
    const byId = new Map(notices.filter((notice) => isReadable(notice, now)).map((notice) => [notice.id, notice]));
    return ids.map((id) => byId.get(id) ?? null);
  };

  return {
    noticesInEffect: () => {
      inEffect ??= prisma.$queryRaw<
        Notice[]
      >`select ${NOTICE_COLUMNS} from notice n where ${inEffectSql(now)} ${ORDER}`;
      return inEffect;
    },
    noticePage: new DataLoader((keys) => Promise.all(keys.map(readPage)), { cacheKeyFn: JSON.stringify }),
    viewedNotice: new DataLoader<number, Notice | null>((ids) =>
      countViews ? Promise.all(ids.map((id) => viewCounter.view(id))) : readWithoutCounting(ids),
    ),
  };
};
