import type { DatabaseClient } from '../../database/client.ts';
import type { Statement } from '../../database/sql.ts';
import { idsByCode } from '../text.sql.ts';
import { SEARCHED_DESCRIPTION } from '../words.ts';
import { momentOf } from './exact-numbers.ts';
import type { ProductRow } from './product-index.ts';

/** Published or not: who sees a product when is decided by each question. */
const ON_SALE = `
  select p.id, p.category_id as "categoryId", p.brand, p.tags, (p.price * 100)::float8 as cents, p.stock > 0 as "isInStock",
    coalesce(p.list_price > p.price, false) as "isOnSale", p.sales,
    trunc(extract(epoch from p.published_at) * 1000000)::text as "publishedAt", hashtext(p.name) as "nameHash",
    p.attributes::text as attributes, array_to_json(p.option_names)::text as "optionNames",
    array(select array_to_json(v.option_values) || case when v.stock > 0 then '+' else '-' end from product_variant v where v.product_id = p.id) as variants,
    p.name, p.subtitle, left(p.description, ${SEARCHED_DESCRIPTION}) as description
  from product p where p.status = 'ON_SALE'`;

export interface ReadProducts {
  readonly products: readonly ProductRow[];
  readonly unfit: readonly { readonly id: number; readonly reason: string }[];
  /** Where they were read in the order of ids; undefined where there are none. */
  readonly lastId: number | undefined;
}

/** The products of these ids that are on sale, as they are now. */
export const readProducts = (client: DatabaseClient, ids: readonly number[]): Promise<ReadProducts> =>
  // Prepared: changes are read many times a second.
  read(client, { name: 'index_products_by_id', text: `${ON_SALE} and p.id = any($1::int[])` }, [ids]);

export const readProductsAfter = (client: DatabaseClient, id: number, limit: number): Promise<ReadProducts> =>
  read(client, { text: `${ON_SALE} and p.id > $1::bigint order by p.id limit $2` }, [id, limit]);

const read = async (client: DatabaseClient, statement: Statement, values: unknown[]): Promise<ReadProducts> => {
  const { rows } = await client.query<ProductRow & { readonly publishedAt: string }>({ ...statement, values });
  const products: ProductRow[] = [];
  const unfit: { id: number; reason: string }[] = [];
  for (const row of rows) {
    const product = { ...row, publishedAt: momentOf(row.publishedAt) };
    const reason = faultOf(product);
    if (reason === undefined) products.push(product);
    else unfit.push({ id: product.id, reason });
  }
  return { products, unfit, lastId: rows.at(-1)?.id };
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

interface Beginning {
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

/** The products that a code is of. */
export const readIdsByCode = async (client: DatabaseClient, code: string): Promise<number[]> =>
  (await client.query<{ id: number }>({ name: 'index_ids_by_code', text: idsByCode('$1'), values: [code] })).rows.map(
    ({ id }) => id,
  );
