import type { DatabaseClient } from '../../database/client.ts';
import type { Statement } from '../../database/sql.ts';
import { SEARCHED_DESCRIPTION } from '../words.ts';
import type { ProductRow } from './product-index.ts';

/** Published or not: who sees a product when is decided by each question. */
const COLUMNS = `
  p.id, p.category_id, p.brand, p.tags, (p.price * 100)::float8, p.stock > 0, coalesce(p.list_price > p.price, false), p.sales,
  (extract(epoch from p.published_at) * 1000000)::bigint, hashtext(p.name),
  p.name, p.subtitle, left(p.description, ${SEARCHED_DESCRIPTION})`;
const ON_SALE = `p.status = 'ON_SALE'`;

type Values = [
  number,
  number,
  string | null,
  string[],
  number,
  boolean,
  boolean,
  number,
  string,
  number,
  string,
  string | null,
  string,
];

/** A product that the index cannot hold. */
export class UnfitProduct extends Error {}

/** The products of these ids that are on sale, as they are now. */
export const readProducts = (client: DatabaseClient, ids: readonly number[]): Promise<ProductRow[]> =>
  read(client, PRODUCTS_BY_ID, [ids]);

/** So many products on sale, in the order of ids. */
export const readProductsAfter = (client: DatabaseClient, id: number, limit: number): Promise<ProductRow[]> =>
  read(client, PRODUCTS_AFTER, [id, limit]);

/** Prepared: changes are read many times a second. */
const PRODUCTS_BY_ID: Statement = {
  name: 'index_products_by_id',
  text: `select ${COLUMNS} from product p where p.id = any($1::int[]) and ${ON_SALE}`,
};

const PRODUCTS_AFTER: Statement = {
  text: `select ${COLUMNS} from product p where p.id > $1::bigint and ${ON_SALE} order by p.id limit $2`,
};

const read = async (
  client: DatabaseClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<ProductRow[]> => {
  const { rows } = await client.query<Values>({ ...statement, values: [...values], rowMode: 'array' });
  return rows.map(toProduct);
};

const toProduct = ([
  id,
  categoryId,
  brand,
  tags,
  cents,
  isInStock,
  isOnSale,
  sales,
  published,
  nameHash,
  name,
  subtitle,
  description,
]: Values): ProductRow => {
  const publishedAt = Number(published);
  // Before the year 1684 and after 2255, not every microsecond is a number in JavaScript.
  if (String(publishedAt) !== published)
    throw new UnfitProduct(`product ${id} was published at a time that is no exact number`);
  return {
    id,
    categoryId,
    brand,
    tags,
    cents,
    isInStock,
    isOnSale,
    sales,
    publishedAt,
    nameHash,
    name,
    subtitle,
    description,
  };
};

export interface Beginning {
  /** The number of products, as far as the statistics know it. */
  readonly estimate: number;
  /** The database's time, in microseconds since 1970. */
  readonly now: number;
}

export const readBeginning = async (client: DatabaseClient): Promise<Beginning> => {
  const { rows } = await client.query<Beginning>(
    `select greatest(reltuples, 0)::float8 as estimate, extract(epoch from clock_timestamp())::float8 * 1000000 as now
     from pg_class where oid = to_regclass('product')`,
  );
  if (!rows[0]) throw new Error('there is no table of products');
  return rows[0];
};

export interface CategoryRow {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
}

export const readCategories = async (client: DatabaseClient): Promise<CategoryRow[]> =>
  (await client.query<CategoryRow>('select id, parent_id as "parentId", name from category order by id')).rows;
