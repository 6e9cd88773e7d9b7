import type { Clock } from '../database/clock.ts';
import { type Notice, Prisma, type PrismaClient } from '../database/generated/client/client.ts';
import { NOTICE_COLUMNS } from './notice-columns.ts';
import { readableSql } from './notice-window.ts';

export interface ViewCounter {
  /**
   * Counts one view of a readable notice and resolves after the commit with the notice as it then is, `viewCount` being this
   * view's own number. Resolves to null, counting nothing, where no readable notice has the id.
   */
  readonly view: (id: number) => Promise<Notice | null>;
}

interface Waiter {
  readonly resolve: (notice: Notice | null) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_TRIES = 4;

// Serialization failure and deadlock: the database has rolled back and says so, hence nothing was counted. Any other failure may have
// come after the commit, and to try again could count twice.
const isKnownRollback = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError &&
  (error.code === 'P2034' || /\b(40001|40P01)\b/.test(JSON.stringify(error.meta ?? {})));

/**
 * A group commit: views that arrive while a statement is in flight wait for it and then share the next one, so that a hot notice
 * costs the database no more than a cold one. One statement at a time; it locks its rows in the order of their ids, so that two instances
 * cannot deadlock.
 */
export const createViewCounter = ({
  prisma,
  clock,
}: {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
}): ViewCounter => {
  let waiting = new Map<number, Waiter[]>();
  let isFlushing = false;

  const count = async (ids: number[], views: number[]): Promise<Notice[]> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await prisma.$queryRaw<Notice[]>`
          with view as (select * from unnest(${ids}::int[], ${views}::int[]) as v(id, views)),
          readable as (select n.id from notice n join view using (id) where ${readableSql(clock.now())} order by n.id for update of n)
          update notice n set view_count = n.view_count + view.views
          from view join readable using (id)
          where n.id = view.id
          returning ${NOTICE_COLUMNS}`;
      } catch (error) {
        if (tries === MAX_TRIES || !isKnownRollback(error)) throw error;
      }
    }
  };

  const flush = async (): Promise<void> => {
    isFlushing = true;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      const entries = [...batch];
      try {
        const notices = await count(
          entries.map(([id]) => id),
          entries.map(([, waiters]) => waiters.length),
        );
        const byId = new Map(notices.map((notice) => [notice.id, notice]));
        for (const [id, waiters] of entries) settle(waiters, byId.get(id));
      } catch (error) {
        for (const [, waiters] of entries) for (const { reject } of waiters) reject(error);
      }
    }
    isFlushing = false;
  };

  return {
    view: (id) =>
      new Promise((resolve, reject) => {
        const waiters = waiting.get(id);
        if (waiters) waiters.push({ resolve, reject });
        else waiting.set(id, [{ resolve, reject }]);
        if (!isFlushing) void flush();
      }),
  };
};

/** The statement added one for each waiter: they get the numbers that led up to the stored count, first come first. */
const settle = (waiters: Waiter[], notice: Notice | undefined): void => {
  waiters.forEach(({ resolve }, index) => {
    resolve(notice ? { ...notice, viewCount: notice.viewCount - BigInt(waiters.length - 1 - index) } : null);
  });
};
