import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseClient } from '../../database/connection.ts';
import { shownSql } from '../../language/shown.ts';
import type { FallBacks } from '../browse-engine.ts';
import { idsByCode } from '../text.sql.ts';
import { momentOf } from './order.ts';
import { type CategoryRow, type ProductRow, Slice } from './rows.ts';
import type { ThreadOptions } from './thread.ts';

type Languages = ThreadOptions['languages'];

/**
 * Products on sale, published or not: who sees a product when is decided by each question. The columns stand in the order in which {@link productOf}
 * reads them, of the types that it reads.
 * @param languages in which products are read besides that of the tables' columns @param condition on the words `w` that are joined
 */
const offered = (languages: Languages, condition = ''): string => `
  select p.id::int, p.name::text, p.brand::text, p.tags::text[], p.category_id::text, (p.price * 100)::float8, p.stock > 0,
    coalesce(p.list_price > p.price, false), p.sales::int, p.published_at::timestamptz,
    array(select concat(to_json(a.key), ':', a.value) from jsonb_each(p.attributes) a),
    array(select concat(array_to_json(p.option_names), ',', array_to_json(v.option_values), case when v.stock > 0 then '+' else '-' end)
      from product_variant v where v.product_id = p.id), w.words
    ${languages.map((_, place) => `, t${place}.name, t${place}.words`).join('')}
  from product p left join product_words w on w.product_id = p.id ${condition}
    ${languages.map((each, place) => translatedIn(each, `t${place}`)).join('')}
  where p.status = 'ON_SALE'`;

/** The row of the first language that the product has one of. Codes of languages need no escape. */
const translatedIn = (languages: readonly string[], alias: string): string => {
  const list = `array['${languages.join("', '")}']`;
  return ` left join lateral (
    select t.name, t.words from translated_words t where t.product_id = p.id and t.language = any (${list})
    order by array_position(${list}, t.language) limit 1
  ) ${alias} on true`;
};

const NOTHING = Slice.of('');

/** The index cannot hold a product. Only tables whose types or checks were changed have one. */
export class UnfitProduct extends Error {}

/** @throws UnfitProduct */
const productOf = (row: CopiedRow, languages: Languages): ProductRow => {
  const id = row.int();
  const fault = (reason: string): Error => new UnfitProduct(`product ${id} cannot be in it: ${reason}`);
  const product = {
    id,
    name: row.slice() ?? NOTHING,
    brand: row.slice(),
    tags: row.slices(),
    category: row.slice() ?? NOTHING,
    cents: row.float(),
    isInStock: row.bool(),
    isReduced: row.bool(),
    sales: row.int(),
    publishedAt: row.moment(),
    attributes: row.slices() ?? [],
    variants: row.slices() ?? [],
    words: row.slice(),
    translated: languages.map(() => {
      const [name, words] = [row.slice(), row.slice()];
      return name && { name, words };
    }),
  };
  const { tags, cents } = product;
  if (!Number.isSafeInteger(cents) || cents < 0) throw fault('its price is no whole number of cents, or too large');
  if (tags === null) throw fault('its tags are no list of texts');
  return { ...product, tags };
};

type OnProduct = (product: ProductRow) => void;

/** Reads the products of these ids that are on sale, as they are now. */
export const readProducts = (
  client: DatabaseClient,
  languages: Languages,
  ids: readonly number[],
  onProduct: OnProduct,
): Promise<void> =>
  readCopied(client, `${offered(languages)} and p.id = any('{${ids}}'::int[])`, (row) =>
    onProduct(productOf(row, languages)),
  );

/** In the order of ids. @returns how many came */
export const readProductsAfter = async (
  client: DatabaseClient,
  languages: Languages,
  { id, limit }: { readonly id: number; readonly limit: number },
  onProduct: OnProduct,
): Promise<number> => {
  // PostgreSQL would merge the tables, and read all the words before these, too.
  const query = `${offered(languages, `and w.product_id > ${id}::bigint`)} and p.id > ${id}::bigint order by p.id limit ${limit}`;
  let count = 0;
  await readCopied(client, query, (row) => {
    count += 1;
    onProduct(productOf(row, languages));
  });
  return count;
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

/** With their names as they are shown in a language. */
export const readCategories = async (client: DatabaseClient, languages: FallBacks): Promise<CategoryRow[]> =>
  (
    await client.query<CategoryRow>(
      `select id, parent_id as "parentId", ${shownSql('c', 'name', languages)} as name from category c order by id`,
    )
  ).rows;

/** What terms are called in a language, by term. */
export const readLabels = async (
  client: DatabaseClient,
  languages: readonly string[],
): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ term: string; text: string }>(
    `select term, text from term_translation where language = any($1) and text <> '' order by array_position($1, language) desc`,
    [languages],
  );
  return new Map(rows.map(({ term, text }) => [term, text]));
};

/** The products that a code is of. */
export const readIdsByCode = async (client: DatabaseClient, code: string): Promise<number[]> =>
  (await client.query<{ id: number }>({ name: 'index_ids_by_code', text: idsByCode('$1'), values: [code] })).rows.map(
    ({ id }) => id,
  );

/**
 * A signature of 11 bytes, flags, and an extension that PostgreSQL does not have:
 * https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4
 */
const HEADER_BYTES = 19;
const TRAILER = -1;
const NO_BYTES = Buffer.alloc(0);

/** From 1970 to 2000, where PostgreSQL's times begin, in microseconds. */
const EPOCH_US = 946_684_800_000_000n;

/** A row in COPY's binary format, whose fields are read one after another. */
class CopiedRow {
  #buffer: Buffer = NO_BYTES;
  #at = 0;

  /** Goes to the row that begins there. @returns where it ends; undefined where the rest of it is still to come */
  goTo(buffer: Buffer, begin: number): number | undefined {
    if (begin + 2 > buffer.length) return undefined;
    const fields = buffer.readInt16BE(begin);
    if (fields === TRAILER) return buffer.length;
    let at = begin + 2;
    for (let field = 0; field < fields; field += 1) {
      if (at + 4 > buffer.length) return undefined;
      at += 4 + Math.max(buffer.readInt32BE(at), 0);
    }
    if (at > buffer.length) return undefined;
    this.#buffer = buffer;
    this.#at = begin + 2;
    return at;
  }

  /** Null is 0 where the table does not allow it. */
  int(): number {
    return this.#next() ? this.#buffer.readInt32BE(this.#at - 4) : 0;
  }

  bool(): boolean {
    return this.#next() && this.#buffer[this.#at - 1] === 1;
  }

  /** NaN for null. */
  float(): number {
    return this.#next() ? this.#buffer.readDoubleBE(this.#at - 8) : Number.NaN;
  }

  /** As `momentOf` makes it of microseconds since 1970; NaN for null. */
  moment(): number {
    return this.#next() ? momentOf(this.#buffer.readBigInt64BE(this.#at - 8) + EPOCH_US) : Number.NaN;
  }

  /** Memory that the next rows take. */
  slice(): Slice | null {
    const begin = this.#at + 4;
    return this.#next() ? new Slice(this.#buffer, begin, this.#at) : null;
  }

  /** Null also for a list that has a null, or lists in it. */
  slices(): Slice[] | null {
    const begin = this.#at + 4;
    if (!this.#next()) return null;
    const dimensions = this.#buffer.readInt32BE(begin);
    if (dimensions === 0) return [];
    const length = this.#buffer.readInt32BE(begin + 12);
    if (dimensions > 1) return null;
    const slices = new Array<Slice>(length);
    for (let index = 0, at = begin + 20; index < length; index += 1) {
      const end = at + 4 + this.#buffer.readInt32BE(at);
      if (end < at + 4) return null;
      slices[index] = new Slice(this.#buffer, at + 4, end);
      at = end;
    }
    return slices;
  }

  /** Goes behind the next field. @returns false for null */
  #next(): boolean {
    const length = this.#buffer.readInt32BE(this.#at);
    this.#at += 4 + Math.max(length, 0);
    return length >= 0;
  }
}

/** Reads what a query gives, without an object for each value. @param onRow is called with the same object for each row */
export const readCopied = async (
  client: DatabaseClient,
  query: string,
  onRow: (row: CopiedRow) => void,
): Promise<void> => {
  const row = new CopiedRow();
  // The same memory for all that comes.
  let memory: Buffer = NO_BYTES;
  let begin = HEADER_BYTES;
  let end = 0;
  for await (const chunk of client.query(
    copyTo(`copy (${query}) to stdout (format binary)`),
  ) as AsyncIterable<Buffer>) {
    if (end + chunk.length > memory.length) memory = Buffer.concat([memory], (end + chunk.length) * 2);
    end += chunk.copy(memory, end);
    const come = memory.subarray(0, end);
    for (let next = row.goTo(come, begin); next !== undefined; next = row.goTo(come, begin)) {
      if (come.readInt16BE(begin) !== TRAILER) onRow(row);
      begin = next;
    }
    const behind = Math.min(begin, end);
    memory.copyWithin(0, behind, end);
    begin -= behind;
    end -= behind;
  }
};
