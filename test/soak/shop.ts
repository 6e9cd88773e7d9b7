import { createRestartableDatabase, type RestartableDatabase } from '../support/restartable-database.ts';
import { numbers } from '../support/views.ts';
import { HEAD_ONLY_ID, PRODUCT_COUNT } from './requests.ts';

export const PRODUCT_IDS = numbers(1, PRODUCT_COUNT);
/** The notices that are viewed, in effect all the time. */
export const VIEWED_IDS = numbers(1, HEAD_ONLY_ID - 1);

const ROWS = [
  `insert into category (id, name, slug) values (1, 'Cups', 'cups'), (2, 'Plates', 'plates')`,
  `insert into product (id, category_id, name, slug, price, description, published_at)
   select n, 1 + n % 2, 'P' || n, 'p' || n, 0, repeat('word ', 40), timestamptz '2020-01-01Z' + n * interval '1 day' from generate_series(1, ${PRODUCT_COUNT}) n`,
  `insert into notice (title, content, starts_at) select 'Viewed ' || n, 'Content', '2020-01-01Z' from generate_series(1, ${HEAD_ONLY_ID}) n`,
];

/** A database with a small shop in it: every product costs 0. */
export const createShop = async (): Promise<RestartableDatabase> => {
  const database = await createRestartableDatabase();
  for (const row of ROWS) await database.sql(row);
  return database;
};
