import type { DatabaseClient } from '../../database/client.ts';
import type { Statement } from '../../database/sql.ts';
import { SEARCHED_DESCRIPTION } from '../words.ts';
import { momentOf } from './exact-numbers.ts';
import type { ProductRow } from './product-index.ts';

/** Published or not: who sees a product when is decided by each question. */
const COLUMNS = `
  p.id, p.category_id, p.brand, p.tags, (p.price * 100)::float8, p.stock > 0, coalesce(p.list_price > p.price, false), p.sales,
  trunc(extract(epoch from p.published_at) * 1000000)::text, hashtext(p.name),
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

/** What was read, in the order of ids where it was asked for in that order. */
export interface ReadProducts {
  readonly products: readonly ProductRow[];
  /** Those that the index cannot hold. */
  readonly unfit: readonly UnfitProduct[];
  /** How many there are of both. */
  readonly count: number;
  /** Undefined where there are none. */
  readonly lastId: number | undefined;
}

export interface UnfitProduct {
  readonly id: number;
  readonly reason: string;
}

/** The products of these ids that are on sale, as they are now. */
export const readProducts = (client: DatabaseClient, ids: readonly number[]): Promise<ReadProducts> =>
  read(client, PRODUCTS_BY_ID, [ids]);

/** So many products on sale, in the order of ids. */
export const readProductsAfter = (client: DatabaseClient, id: number, limit: number): Promise<ReadProducts> =>
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
): Promise<ReadProducts> => {
  const { rows } = await client.query<Values>({ ...statement, values: [...values], rowMode: 'array' });
  const products: ProductRow[] = [];
  const unfit: UnfitProduct[] = [];
  for (const product of rows.map(toProduct)) {
    const reason = faultOf(product);
    if (reason === undefined) products.push(product);
    else unfit.push({ id: product.id, reason });
  }
  return { products, unfit, count: rows.length, lastId: rows.at(-1)?.[0] };
};

/** Vitrine's own tables refuse such values. A shop may have changed a column's type, or dropped a check. */
const faultOf = ({ cents, tags, name, subtitle, brand, description, publishedAt }: ProductRow): string | undefined => {
  if (!Number.isSafeInteger(cents) || cents < 0) return 'its price is no whole number of cents, or too large';
  if (!Array.isArray(tags) || !tags.every(isText)) return 'its tags are no list of texts';
  if (![name, description, subtitle ?? '', brand ?? ''].every(isText)) return 'one of its texts is none';
  if (Number.isNaN(publishedAt)) return 'it has no time of publication';
  return undefined;
};

const isText = (value: unknown): boolean => typeof value === 'string';

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
]: Values): ProductRow => ({
  id,
  categoryId,
  brand,
  tags,
  cents,
  isInStock,
  isOnSale,
  sales,
  publishedAt: momentOf(published),
  nameHash,
  name,
  subtitle,
  description,
});

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
