import type { Sql, Statement } from '../database/sql.ts';

export interface CatalogueCounts {
  readonly products: number;
  readonly noticesInEffect: number;
}

/** What a client sees, counted; undefined while the database does not answer. */
export type CountCatalogue = () => Promise<CatalogueCounts | undefined>;

const COUNTS: Statement = {
  name: 'catalogue_counts',
  text: `
    select (select count(*) from product where status = 'ON_SALE' and published_at <= now())::int as products,
           (select count(*) from notice
            where status = 'PUBLISHED' and starts_at <= now() and (ends_at is null or ends_at > now()))::int
             as "noticesInEffect"`,
};

const MIN_AGE_MS = 1000;

/** Counting takes longer in a larger catalogue: however many watch, it takes a twentieth of the time of one connection at most. */
const REST_PER_WORK = 20;

export const createCatalogueCounts = (sql: Sql): CountCatalogue => {
  let latest: Promise<CatalogueCounts | undefined> | undefined;
  let keptUntilMs = 0;

  const count = async (): Promise<CatalogueCounts | undefined> => {
    const startMs = performance.now();
    try {
      const [counts] = await sql.rows<CatalogueCounts>(COUNTS, []);
      return counts;
    } catch {
      return undefined;
    } finally {
      const endMs = performance.now();
      keptUntilMs = endMs + Math.max(MIN_AGE_MS, (endMs - startMs) * REST_PER_WORK);
    }
  };

  return () => {
    if (latest === undefined || performance.now() >= keptUntilMs) {
      keptUntilMs = Number.POSITIVE_INFINITY;
      latest = count();
    }
    return latest;
  };
};
