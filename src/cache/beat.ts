import pg from 'pg';

/** What a beat brings, in the database's milliseconds. The next moments: null for none, and without the key where nobody could be asked. */
export interface Beat {
  readonly now: number;
  /** When a product is next published. */
  readonly product?: number | null;
  /** When a notice next starts or ends. */
  readonly notice?: number | null;
}

/** A round trip that takes this long means that the connection is dead or that nobody is at its other end. */
export const BEAT_TIMEOUT_MS = 1000;

/**
 * A table that the back office keeps locked (a reload in one transaction) is not waited for: the beat goes on without the next moments,
 * for nothing that was committed has changed them.
 */
export const LOCK_TIMEOUT_MS = 20;

const LOCK_NOT_AVAILABLE = '55P03';

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;

const NOW = 'extract(epoch from clock_timestamp())::float8 * 1000';

/** The text of a beat, in which this is how far, in milliseconds, our clock may be behind the database's. */
export const beatSql = (behindMs: string): string => {
  // Operations read our clock in whole milliseconds: a moment that is just past there is still to come for some of them, and what they
  // then answer must not outlive it.
  const after = `> now() - ${behindMs} * interval '1 millisecond'`;
  return `
    select ${NOW} as now,
      (select extract(epoch from min(published_at))::float8 * 1000 from product where status = 'ON_SALE' and published_at ${after}) as product,
      (select extract(epoch from least(
        (select min(starts_at) from notice where status = 'PUBLISHED' and starts_at ${after}),
        (select min(ends_at) from notice where status = 'PUBLISHED' and ends_at ${after})))::float8 * 1000) as notice`;
};

/** A beat that waits for no table. */
export const BARE_BEAT_SQL = `select ${NOW} as now`;
