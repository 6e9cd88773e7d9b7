import { createTestDatabase, type TestDatabase } from './database.ts';
import { createTestGateway, type TestGateway } from './gateway.ts';

/** A gateway on a small shop whose every row is known. */
export interface RestShop extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly gateway: TestGateway;
}

/** The ids of the visible products. Their sales, names and prices are permutations of the same range. */
export const PRODUCT_IDS: readonly number[] = Array.from({ length: 30 }, (_, index) => index + 1);
export const salesOf = (id: number): number => (id * 7) % 31;
export const priceOf = (id: number): number => (id * 11) % 31;
export const nameOf = (id: number): string => `Product ${String((id * 13) % 31).padStart(2, '0')}`;
export const categoryOf = (id: number): number => 1 + (id % 2);

/** The ids of the notices in effect, later ones having begun later. */
export const NOTICE_IDS: readonly number[] = Array.from({ length: 25 }, (_, index) => index + 1);
export const PINNED_IDS: readonly number[] = [3, 7];
/** Readable, and in no list. */
export const ENDED_ID = 101;
/** A draft, a withdrawn one, a future one. */
export const HIDDEN_NOTICE_IDS: readonly number[] = [102, 103, 104];
/** A draft, one off sale, a future one: each the best selling and the newest if it were visible. */
export const HIDDEN_PRODUCT_IDS: readonly number[] = [101, 102, 103];
/** In no category's list but its own; category 3 is empty. */
export const CATEGORY_IDS: readonly number[] = [1, 2, 3];

export const createRestShop = async (environment: Record<string, string> = {}): Promise<RestShop> => {
  const database = await createTestDatabase();
  for (const statement of ROWS) await database.sql(statement);
  const gateway = await createTestGateway(database, environment);
  return {
    database,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

/** A target for each of the seven paths, with a response of 200. */
export const TARGETS: readonly string[] = [
  '/api/product/4',
  '/api/product/hot',
  '/api/product/new?limit=3',
  '/api/product/list?categoryIds=1,2',
  '/api/notice/list',
  '/api/notice/page?keyword=x',
  '/api/notice/4',
];

/** Lists short texts without white space in a few lines: `words('1e3 10.0')`. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

const ROWS = [
  `insert into category (id, name, slug) values (1, 'Cups', 'cups'), (2, 'Plates', 'plates'), (3, 'Empty', 'empty')`,
  `insert into product (id, category_id, name, slug, price, sales, published_at)
   select n, 1 + n % 2, 'Product ' || lpad(((n * 13) % 31)::text, 2, '0'), 'p' || n, (n * 11) % 31, (n * 7) % 31,
          timestamptz '2020-01-01Z' + n * interval '1 day'
   from generate_series(1, 30) n`,
  `insert into product (id, category_id, name, slug, price, sales, published_at, status) values
   (101, 1, 'Draft', 'draft', 1, 999, now() - interval '1 hour', 'DRAFT'),
   (102, 1, 'Gone', 'gone', 1, 999, now() - interval '1 hour', 'OFF_SALE'),
   (103, 1, 'Soon', 'soon', 1, 999, now() + interval '1 day', 'ON_SALE')`,
  `insert into notice (id, title, summary, content, type, level, pinned, starts_at)
   select n, 'Notice ' || n, case when n % 2 = 0 then 'About 100%_of ÄÖÜ ' || n end, 'Content ' || n,
          (enum_range(null::notice_type))[1 + n % 3], (enum_range(null::notice_level))[1 + n % 3], n in (3, 7),
          timestamptz '2020-01-01Z' + n * interval '1 hour'
   from generate_series(1, 25) n`,
  `insert into notice (id, title, content, starts_at, ends_at, status) values
   (101, 'Ended', 'Was here', '2020-01-01Z', '2020-02-01Z', 'PUBLISHED'),
   (102, 'Draft', 'Not yet', '2020-01-01Z', null, 'DRAFT'),
   (103, 'Withdrawn', 'No more', '2020-01-01Z', null, 'WITHDRAWN'),
   (104, 'Future', 'Soon', now() + interval '1 day', null, 'PUBLISHED')`,
];
