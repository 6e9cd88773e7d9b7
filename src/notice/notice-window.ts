import type { Notice } from '../database/generated/client/client.ts';

// What notice.sql.ts says in SQL, for a row in hand.

export const isReadable = ({ status, startsAt }: Notice, now: Date): boolean =>
  status === 'PUBLISHED' && startsAt <= now;

export const isInEffect = (notice: Notice, now: Date): boolean =>
  isReadable(notice, now) && (notice.endsAt === null || now < notice.endsAt);
