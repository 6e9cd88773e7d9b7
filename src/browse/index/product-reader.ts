import type { DatabaseClient } from '../../database/client.ts';
import { idsByCode } from '../text.sql.ts';
import { SEARCHED_DESCRIPTION } from '../words.ts';
import { type CopiedRow, readCopied } from './copied-rows.ts';
import type { ProductRow, SearchedTexts } from './product-index.ts';
import { Slice } from './texts.ts';

const ifNotAscii = (column: string, value = column): string =>
  `case when octet_length(${column}) <> length(${column}) then ${value} end`;

/** In the order in which {@link productOf} reads them. So with the others; the types are those that are read. */
const TEXTS = 'p.name::text, p.brand::text, p.tags::text[]';
const OTHER_TEXTS = `${ifNotAscii('p.subtitle')}, ${ifNotAscii('p.description', `left(p.description, ${SEARCHED_DESCRIPTION})`)}`;
const VALUES = `p.category_id::int, (p.price * 100)::float8, p.stock > 0, coalesce(p.list_price > p.price, false),
  p.sales::int, p.published_at::timestamptz, hashtext(p.name), p.attributes::text, array_to_json(p.option_names)::text,
  array(select array_to_json(v.option_values) || case when v.stock > 0 then '+' else '-' end from product_variant v where v.product_id = p.id)`;

/** Published or not: who sees a product when is decided by each question. */
const onSale = (columns: string, join = ''): string =>
  `select ${columns} from product p ${join} where p.status = 'ON_SALE'`;

const WITH_WORDS = 'left join product_words w on w.product_id = p.id';

const NO_ATTRIBUTES = Slice.of('{}');
const NO_NAMES = Slice.of('[]');

const productOf = (row: CopiedRow, hasWords: boolean) => ({
  id: row.int(),
  name: row.slice(),
  brand: row.slice(),
  tags: row.slices(),
  categoryId: row.int(),
  cents: row.float(),
  isInStock: row.bool(),
  isOnSale: row.bool(),
  sales: row.int(),
  publishedAt: row.moment(),
  nameHash: row.int(),
  attributes: row.slice() ?? NO_ATTRIBUTES,
  optionNames: row.slice() ?? NO_NAMES,
  variants: row.slices() ?? [],
  subtitle: hasWords ? row.slice() : null,
  description: hasWords ? row.slice() : null,
  words: hasWords ? row.slice() : null,
});

/** @param hasTexts whether the texts were read, too */
const searchedOf = (row: CopiedRow, hasTexts: boolean): SearchedTexts => ({
  id: row.int(),
  name: hasTexts ? row.slice() : null,
  brand: hasTexts ? row.slice() : null,
  tags: hasTexts ? (row.slices() ?? []) : [],
  subtitle: hasTexts ? row.slice() : null,
  description: hasTexts ? row.slice() : null,
  words: row.slice(),
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
): Promise<ReadProducts> => {
  const query = `${onSale(`p.id::int, ${TEXTS}, ${VALUES}, ${OTHER_TEXTS}, w.words`, WITH_WORDS)} and p.id = any('{${ids}}'::int[])`;
  return read(client, query, true, onProduct);
};

const after = (id: number, limit: number): string => `and p.id > ${id}::bigint order by p.id limit ${limit}`;

/** In the order of ids, without their words. */
export const readProductsAfter = (
  client: DatabaseClient,
  id: number,
  limit: number,
  onProduct: OnProduct,
): Promise<ReadProducts> => {
  const query = `${onSale(`p.id::int, ${TEXTS}, ${VALUES}`)} ${after(id, limit)}`;
  return read(client, query, false, onProduct);
};

/** In the order of ids, what is searched of products. @param hasTexts whether that is more than their words @returns how many came */
export const readWordsAfter = async (
  client: DatabaseClient,
  id: number,
  limit: number,
  hasTexts: boolean,
  onWords: (product: SearchedTexts) => void,
): Promise<number> => {
  // PostgreSQL would merge the tables, and read all the words before these, too.
  const join = `${WITH_WORDS} and w.product_id > ${id}::bigint`;
  const columns = hasTexts ? `p.id::int, ${TEXTS}, ${OTHER_TEXTS}, w.words` : 'p.id::int, w.words';
  let count = 0;
  await readCopied(client, `${onSale(columns, join)} ${after(id, limit)}`, (row) => {
    count += 1;
    onWords(searchedOf(row, hasTexts));
  });
  return count;
};

/** @param onProduct is given what has no fault */
const read = async (
  client: DatabaseClient,
  query: string,
  hasWords: boolean,
  onProduct: OnProduct,
): Promise<ReadProducts> => {
  const unfit: { id: number; reason: string }[] = [];
  let count = 0;
  let lastId = 0;
  await readCopied(client, query, (row) => {
    const product = productOf(row, hasWords);
    const reason = faultOf(product);
    if (reason === undefined) onProduct(product as ProductRow);
    else unfit.push({ id: product.id, reason });
    count += 1;
    lastId = product.id;
  });
  return { count, unfit, lastId };
};

/** Vitrine's own tables refuse such values. A shop may have changed a column's type, or dropped a check. */
const faultOf = ({ name, tags, cents, publishedAt }: ReturnType<typeof productOf>): string | undefined => {
  if (!Number.isSafeInteger(cents) || cents < 0) return 'its price is no whole number of cents, or too large';
  if (tags === null) return 'its tags are no list of texts';
  if (name === null) return 'it has no name';
  return Number.isNaN(publishedAt) ? 'it has no time of publication' : undefined;
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
