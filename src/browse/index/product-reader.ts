import type { DatabaseClient } from '../../database/client.ts';
import { idsByCode } from '../text.sql.ts';
import { SEARCHED_DESCRIPTION } from '../words.ts';
import { type CopiedRow, readCopied } from './copied-rows.ts';
import type { ProductRow } from './product-index.ts';

const IF_NOT_ASCII = (text: string): string => `case when octet_length(${text}) <> length(${text}) then ${text} end`;

/** Published or not: who sees a product when is decided by each question. In the order of {@link productOf}; the types are those that it reads. */
const ON_SALE = `
  select p.id::int, p.category_id::int, p.brand::text, p.tags::text[], (p.price * 100)::float8, p.stock > 0, coalesce(p.list_price > p.price, false),
    p.sales::int, p.published_at::timestamptz, hashtext(p.name), p.name::text,
    ${IF_NOT_ASCII('p.subtitle')}, ${IF_NOT_ASCII(`left(p.description, ${SEARCHED_DESCRIPTION})`)}, w.words, p.attributes::text,
    array_to_json(p.option_names)::text,
    array(select array_to_json(v.option_values) || case when v.stock > 0 then '+' else '-' end from product_variant v where v.product_id = p.id)
  from product p left join product_words w on w.product_id = p.id
  where p.status = 'ON_SALE'`;

const productOf = (row: CopiedRow) => ({
  id: row.int(),
  categoryId: row.int(),
  brand: row.text(),
  tags: row.texts(),
  cents: row.float(),
  isInStock: row.bool(),
  isOnSale: row.bool(),
  sales: row.int(),
  publishedAt: row.moment(),
  nameHash: row.int(),
  name: row.text(),
  subtitle: row.text(),
  description: row.text(),
  words: row.bytes(),
  attributes: row.text() ?? '{}',
  optionNames: row.text() ?? '[]',
  variants: row.texts() ?? [],
});

export interface ReadProducts {
  /** How many came, with those that are unfit. */
  readonly count: number;
  /** Products that the index cannot hold. */
  readonly unfit: readonly { readonly id: number; readonly reason: string }[];
  readonly lastId: number;
}

type OnProduct = (product: ProductRow) => void;

/** Reads the products of these ids that are on sale, as they are now. */
export const readProducts = (
  client: DatabaseClient,
  ids: readonly number[],
  onProduct: OnProduct,
): Promise<ReadProducts> => read(client, `${ON_SALE} and p.id = any('{${ids}}'::int[])`, onProduct);

/** In the order of ids. */
export const readProductsAfter = (
  client: DatabaseClient,
  id: number,
  limit: number,
  onProduct: OnProduct,
): Promise<ReadProducts> => read(client, `${ON_SALE} and p.id > ${id}::bigint order by p.id limit ${limit}`, onProduct);

const read = async (client: DatabaseClient, query: string, onProduct: OnProduct): Promise<ReadProducts> => {
  const unfit: { id: number; reason: string }[] = [];
  let count = 0;
  let lastId = 0;
  await readCopied(client, query, (row) => {
    const product = productOf(row);
    const reason = faultOf(product);
    if (reason === undefined) onProduct(product as ProductRow);
    else unfit.push({ id: product.id, reason });
    count += 1;
    lastId = product.id;
  });
  return { count, unfit, lastId };
};

/** Vitrine's own tables refuse such values. A shop may have changed a column's type, or dropped a check. */
const faultOf = ({ cents, tags, name, publishedAt }: ReturnType<typeof productOf>): string | undefined => {
  if (!Number.isSafeInteger(cents) || cents < 0) return 'its price is no whole number of cents, or too large';
  if (tags === null) return 'its tags are no list of texts';
  if (name === null) return 'it has no name';
  if (Number.isNaN(publishedAt)) return 'it has no time of publication';
  return undefined;
};

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
