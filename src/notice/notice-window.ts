import { type Notice, Prisma } from '../database/generated/client/client.ts';

// The three states of a notice that a client can tell apart, once for SQL (under the alias `n`) and once for a row in hand.

/** Detail may show it: published and begun. One that has ended stays readable, so that old links keep working. */
export const readableSql = (now: Date): Prisma.Sql =>
  Prisma.sql`n.status = 'PUBLISHED' and n.starts_at <= ${now}::timestamptz`;

/** Lists may show it: readable and not ended. */
export const inEffectSql = (now: Date): Prisma.Sql =>
  Prisma.sql`${readableSql(now)} and (n.ends_at is null or n.ends_at > ${now}::timestamptz)`;

export const isReadable = ({ status, startsAt }: Notice, now: Date): boolean =>
  status === 'PUBLISHED' && startsAt <= now;

export const isInEffect = (notice: Notice, now: Date): boolean =>
  isReadable(notice, now) && (notice.endsAt === null || now < notice.endsAt);
