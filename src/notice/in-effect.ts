import type { Notice, Prisma } from '../database/generated/client/client.ts';
import type { Rule } from '../database/visible-rows.ts';

// A partial index serves only a condition that the planner can prove from the text, so the status is a literal.
const published = (alias: string): string => `${alias}.status = 'PUBLISHED'`;

type NoticeRule<Column extends keyof Notice> = Rule<Pick<Notice, Column>>;

/** The detail of a notice may be shown once it is published and has begun. A notice that has ended stays readable, so that old links keep working. */
export const readable = {
  sql: (alias, now) => `${published(alias)} and ${alias}.starts_at <= ${now}`,
  where: (now) => ({ status: 'PUBLISHED', startsAt: { lte: now } }) satisfies Prisma.NoticeWhereInput,
  columns: { status: true, startsAt: true },
  holds: ({ status, startsAt }, now) => status === 'PUBLISHED' && startsAt <= now,
  nextChangeSql: (after) =>
    `(select min(n.starts_at) from notice n where ${published('n')} and n.starts_at > ${after})`,
} satisfies NoticeRule<'status' | 'startsAt'>;

/** Lists show a notice that is readable and has not ended. */
export const inEffect = {
  sql: (alias, now) => `${readable.sql(alias, now)} and (${alias}.ends_at is null or ${alias}.ends_at > ${now})`,
  where: (now) =>
    ({ ...readable.where(now), OR: [{ endsAt: null }, { endsAt: { gt: now } }] }) satisfies Prisma.NoticeWhereInput,
  columns: { ...readable.columns, endsAt: true },
  holds: (notice, now) => readable.holds(notice, now) && (notice.endsAt === null || now < notice.endsAt),
  nextChangeSql: (after) =>
    `least(${readable.nextChangeSql(after)}, (select min(n.ends_at) from notice n where ${published('n')} and n.ends_at > ${after}))`,
} satisfies NoticeRule<'status' | 'startsAt' | 'endsAt'>;
