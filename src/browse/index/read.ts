import { type DatabaseClient, oneRow } from '../../database/connection.ts';
import { namesIn, shownSql, statementIn } from '../../language/shown.ts';
import type { FallBacks } from '../browse-engine.ts';
import { idsByCode } from '../text.sql.ts';
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

/** The index cannot hold the catalogue: it is too large, or a product is very old, or the types or checks of the tables were changed. */
export class UnfitCatalogue extends Error {}

/** @throws UnfitCatalogue */
const productOf = (row: CopiedRow, languages: Languages): ProductRow => {
  const id = row.int();
  const fault = (reason: string): Error => new UnfitCatalogue(`product ${id} cannot be in it: ${reason}`);
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
  const { tags, cents, publishedAt } = product;
  if (!Number.isSafeInteger(cents) || cents < 0) throw fault('its price is no whole number of cents, or too large');
  if (Number.isNaN(publishedAt)) throw fault('it was published at a fraction of a millisecond before the year 1684');
  if (tags === null) throw fault('its tags are no list of texts');
  return { ...product, tags };
};

/** Those of some ids, or so many that come after an id. */
type Which = { readonly ids: readonly number[] } | { readonly after: number; readonly limit: number };

/** Reads products that are on sale, as they are now. @returns how many came */
export const readProducts = (
  client: DatabaseClient,
  languages: Languages,
  which: Which,
  onProduct: (product: ProductRow) => void,
): Promise<number> => {
  const query =
    'ids' in which
      ? `${offered(languages)} and p.id = any('{${which.ids}}'::int[])`
      : // Without the first condition PostgreSQL would merge the tables, and read all the words before these, too.
        `${offered(languages, `and w.product_id > ${which.after}::bigint`)} and p.id > ${which.after}::bigint order by p.id limit ${which.limit}`;
  return readCopied(client, query, (row) => onProduct(productOf(row, languages)));
};

/** The number of products, as far as the statistics know it. */
export const readEstimate = async (client: DatabaseClient): Promise<number> =>
  (
    await oneRow<{ count: number }>(
      client,
      `select greatest(reltuples, 0)::float8 as count from pg_class where oid = to_regclass('product')`,
    )
  ).count;

/** The names of some products, as they are shown in a language. */
export const readNames = async (
  client: DatabaseClient,
  ids: readonly number[],
  languages: FallBacks,
): Promise<Map<number, string>> => {
  const { joins, name } = namesIn(languages);
  const { rows } = await client.query<{ id: number; name: string }>({
    name: statementIn('index_names', languages),
    text: `select p.id, ${name} as name from product p${joins} where p.id = any($1::int[])`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row.name]));
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
 * A signature of 11 bytes, flags, and an extension that PostgreSQL does not have; it stands before the first row:
 * https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4
 */
const HEADER_BYTES = 19;
/** In the place of the number of fields. */
const TRAILER = -1;

/** From 1970 to 2000, where PostgreSQL's times begin, in microseconds. */
const EPOCH_US = 946_684_800_000_000n;

/** The number itself, where JavaScript has it, as all whole seconds; otherwise infinity from the year 2255 on, and NaN before 1684. */
export const momentOf = (microseconds: bigint): number => {
  const number = Number(microseconds);
  if (BigInt(number) === microseconds) return number;
  return number > 0 ? Number.POSITIVE_INFINITY : Number.NaN;
};

/** A row in COPY's binary format, whose fields are read one after another. */
class CopiedRow {
  readonly #buffer: Buffer;
  #at: number;

  /** @param at where its fields begin */
  constructor(buffer: Buffer, at: number) {
    this.#buffer = buffer;
    this.#at = at;
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

  /** In microseconds since 1970. */
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

/**
 * Reads what a query gives, without an object for each value: each row is a message, and the driver gives its bytes.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY
 * @returns how many rows came
 */
export const readCopied = async (
  client: DatabaseClient,
  query: string,
  onRow: (row: CopiedRow) => void,
): Promise<number> => {
  let begin = HEADER_BYTES;
  let count = 0;
  let failure: unknown;
  const onCopyData = ({ chunk }: { readonly chunk: Buffer }): void => {
    try {
      if (chunk.length === begin || chunk.readInt16BE(begin) === TRAILER || failure !== undefined) return;
      onRow(new CopiedRow(chunk, begin + 2));
      count += 1;
    } catch (error) {
      failure = error;
    } finally {
      begin = 0;
    }
  };
  client.connection.on('copyData', onCopyData);
  try {
    const { rowCount } = await client.query(`copy (${query}) to stdout (format binary)`);
    if (failure !== undefined) throw failure;
    if (count !== rowCount) throw new Error(`the driver gave ${count} of ${rowCount} rows`);
    return count;
  } finally {
    client.connection.off('copyData', onCopyData);
  }
};
