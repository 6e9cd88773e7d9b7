import { Prisma } from '../database/generated/client/client.ts';

/** The columns of `notice n` as the Prisma model names them. */
export const NOTICE_COLUMNS = Prisma.sql`n.id, n.type, n.level, n.title, n.summary, n.content, n.pinned, n.status,
  n.starts_at as "startsAt", n.ends_at as "endsAt", n.view_count as "viewCount", n.created_at as "createdAt", n.updated_at as "updatedAt"`;
