import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseClient } from '../../database/client.ts';
import { idsByCode } from '../text.sql.ts';
import { momentOf } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { type ProductColumns, type ProductRow, Slice } from './rows.ts';

/**
 * Products on sale, published or not: who sees a product when is decided by each question. The columns stand in the order in which {@link productOf}
 * reads them, of the types that it reads.
 */
const onSale = (join = ''): string => `
  select p.id::int, p.name::text, p.brand::text, p.tags::text[], p.category_id::text, (p.price * 100)::float8, p.stock > 0,
    coalesce(p.list_price > p.price, false), p.sales::int, p.published_at::timestamptz, hashtext(p.name), p.attributes::text,
    array(select concat(array_to_json(p.option_names), ',', array_to_json(v.option_values), case when v.stock > 0 then '+' else '-' end)
      from product_variant v where v.product_id = p.id), w.words
  from product p left join product_words w on w.product_id = p.id ${join} where p.status = 'ON_SALE'`;

const NOTHING = Slice.of('');
const NO_ATTRIBUTES = Slice.of('{}');

/** @throws Error for a product that the index cannot hold. Only tables whose types or checks were changed have one. */
const productOf = (row: CopiedRow): ProductRow => {
  const id = row.int();
  const fault = (reason: string): Error => new Error(`product ${id} cannot be in it: ${reason}`);
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
    nameHash: row.int(),
    attributes: row.slice() ?? NO_ATTRIBUTES,
    variants: row.slices() ?? [],
    words: row.slice(),
  };
  const { tags, cents } = product;
  if (!Number.isSafeInteger(cents) || cents < 0) throw fault('its price is no whole number of cents, or too large');
  if (tags === null) throw fault('its tags are no list of texts');
  return { ...product, tags };
};

type OnProduct = (product: ProductRow) => void;

/** Reads the products of these ids that are on sale, as they are now. */
export const readProducts = (client: DatabaseClient, ids: readonly number[], onProduct: OnProduct): Promise<void> =>
  readCopied(client, `${onSale()} and p.id = any('{${ids}}'::int[])`, (row) => onProduct(productOf(row)));

/** In the order of ids. @returns how many came */
export const readProductsAfter = async (
  client: DatabaseClient,
  id: number,
  limit: number,
  onProduct: OnProduct,
): Promise<number> => {
  // PostgreSQL would merge the tables, and read all the words before these, too.
  const query = `${onSale(`and w.product_id > ${id}::bigint`)} and p.id > ${id}::bigint order by p.id limit ${limit}`;
  let count = 0;
  await readCopied(client, query, (row) => {
    count += 1;
    onProduct(productOf(row));
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

/** JavaScript has no collation of a database: a rank grows with the name, read for all, and put between neighbours for a new one. */

/** Between two ranks that are read; it can be halved some 30 times. */
const GAP = 2 ** 20;

const MANY_NAMES = 500;

/** Ranks the names that have none yet. Where a neighbour has changed too and is not read yet, the name waits for the next call. */
export const rankNames = async (index: ProductIndex, client: DatabaseClient): Promise<void> => {
  if (!index.hasRanks || index.unranked.size > MANY_NAMES) await rankAll(index, client);
  else if (index.unranked.size > 0 && !(await rankBetweenNeighbours(index, client))) await rankAll(index, client);
};

const rankAll = async (index: ProductIndex, client: DatabaseClient): Promise<void> => {
  const { columns, unranked } = index;
  index.hasRanks = false;
  index.rankings += 1;
  columns.nameRank.fill(Number.NaN);
  unranked.clear();
  let rank = 0;
  const names = `select id::int, hashtext(name) from product where status = 'ON_SALE' order by name, id`;
  await readCopied(client, names, (copied) => {
    rank += GAP;
    const row = columns.rowOf(copied.int());
    if (row >= 0 && columns.nameHash.values[row] === copied.int()) columns.nameRank.set(row, rank);
  });
  for (let row = 0; row < columns.count; row += 1) {
    const id = columns.id.values[row] as number;
    if (Number.isNaN(columns.nameRank.values[row]) && columns.rowOf(id) === row) unranked.add(id);
  }
  index.hasRanks = true;
};

interface Neighbours {
  readonly id: number;
  readonly hash: number;
  readonly beforeId: number | null;
  readonly beforeHash: number | null;
  readonly afterId: number | null;
  readonly afterHash: number | null;
}

const neighbour = (name: string, comparison: '<' | '>', direction: '' | 'desc'): string => `
  left join lateral (
    select q.id, hashtext(q.name) as hash from product q
    where q.status = 'ON_SALE' and (q.name, q.id) ${comparison} (p.name, p.id) order by q.name ${direction}, q.id ${direction} limit 1
  ) ${name} on true`;

const NEIGHBOURS = `
  select p.id, hashtext(p.name) as hash, before.id as "beforeId", before.hash as "beforeHash", after.id as "afterId", after.hash as "afterHash"
  from product p ${neighbour('before', '<', 'desc')} ${neighbour('after', '>', '')}
  where p.id = any($1::int[]) and p.status = 'ON_SALE'
  order by p.name, p.id`;

/** @returns false where there is no number left between two neighbours */
const rankBetweenNeighbours = async (index: ProductIndex, client: DatabaseClient): Promise<boolean> => {
  const { columns, unranked } = index;
  const { rows } = await client.query<Neighbours>(NEIGHBOURS, [[...unranked]]);
  const rankOf = (id: number | null, hash: number | null, atEnd: number): number | undefined =>
    id === null ? atEnd : knownRank(columns, id, hash);
  let run: number[] = [];
  let low: number | undefined;
  for (const { id, hash, beforeId, beforeHash, afterId, afterHash } of rows) {
    const row = columns.rowOf(id);
    if (row < 0 || columns.nameHash.values[row] !== hash || !unranked.has(id)) {
      run = [];
      low = undefined;
      continue;
    }
    // Names that follow each other are ranked together.
    if (run.length === 0 || columns.id.values[run.at(-1) as number] !== beforeId) {
      run = [];
      low = rankOf(beforeId, beforeHash, Number.NEGATIVE_INFINITY);
    }
    run.push(row);
    const high = rankOf(afterId, afterHash, Number.POSITIVE_INFINITY);
    if (low === undefined || high === undefined) continue;
    if (!spread(run, low, high, columns)) return false;
    for (const each of run) unranked.delete(columns.id.values[each] as number);
    run = [];
  }
  return true;
};

/** Gives rows ranks at equal distances between two. @returns false where two would be equal */
const spread = (rows: readonly number[], low: number, high: number, columns: ProductColumns): boolean => {
  const from = Number.isFinite(low) ? low : Number.isFinite(high) ? high - GAP * (rows.length + 1) : 0;
  const to = Number.isFinite(high) ? high : from + GAP * (rows.length + 1);
  const step = (to - from) / (rows.length + 1);
  let last = from;
  for (const [index, row] of rows.entries()) {
    const rank = from + step * (index + 1);
    if (rank <= justAfter(last) || justAfter(rank) >= to) return false;
    columns.nameRank.set(row, rank);
    last = rank;
  }
  return true;
};

/** @returns undefined where the index does not know the name */
export const rankOfPosition = async (
  { columns }: ProductIndex,
  client: DatabaseClient,
  [name = '', id = '']: readonly string[],
): Promise<number | undefined> => {
  const { rows } = await client.query<{ id: number; hash: number; isSame: boolean }>(
    `select id, hashtext(name) as hash, (name, id) = ($1, $2::int) as "isSame" from product
     where status = 'ON_SALE' and (name, id) <= ($1, $2::int) order by name desc, id desc limit 1`,
    [name, id],
  );
  const [found] = rows;
  if (!found) return Number.NEGATIVE_INFINITY;
  const rank = knownRank(columns, found.id, found.hash);
  if (rank === undefined) return undefined;
  return found.isSame ? rank : justAfter(rank);
};

/** Undefined where the name is not the one that the index knows, or has no rank itself. */
const knownRank = (columns: ProductColumns, id: number, hash: number | null): number | undefined => {
  const row = columns.rowOf(id);
  const rank = row >= 0 && columns.nameHash.values[row] === hash ? columns.nameRank.values[row] : undefined;
  return Number.isNaN(rank) ? undefined : rank;
};

/** Before every greater rank: they are never so close. */
const justAfter = (rank: number): number => rank + Math.max(Math.abs(rank), 1) * Number.EPSILON * 2;

/**
 * A signature of 11 bytes, flags, and an extension that PostgreSQL does not have:
 * https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4
 */
const HEADER_BYTES = 19;
const TRAILER = -1;
const NO_BYTES = Buffer.alloc(0);

/** From 1970 to 2000, where PostgreSQL's times begin, in microseconds. */
const EPOCH_US = 946_684_800_000_000;

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
    return this.#next(4) ? this.#buffer.readInt32BE(this.#at - 4) : 0;
  }

  bool(): boolean {
    return this.#next(1) && this.#buffer[this.#at - 1] === 1;
  }

  /** NaN for null. */
  float(): number {
    return this.#next(8) ? this.#buffer.readDoubleBE(this.#at - 8) : Number.NaN;
  }

  /** As `momentOf` makes it of microseconds since 1970; NaN for null. */
  moment(): number {
    if (!this.#next(8)) return Number.NaN;
    // In this order no sum is rounded that ends as a safe integer.
    const number =
      this.#buffer.readInt32BE(this.#at - 8) * 2 ** 32 + EPOCH_US + this.#buffer.readUInt32BE(this.#at - 4);
    if (Number.isSafeInteger(number)) return number;
    return momentOf(String(this.#buffer.readBigInt64BE(this.#at - 8) + BigInt(EPOCH_US)));
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
  #next(bytes?: number): boolean {
    const length = this.#buffer.readInt32BE(this.#at);
    this.#at += 4 + Math.max(length, 0);
    if (bytes !== undefined && length >= 0 && length !== bytes)
      throw new Error(`a field of ${bytes} bytes has ${length}`);
    return length >= 0;
  }
}

/** Reads what a query gives, without an object for each value. @param onRow is called with the same object for each row */
const readCopied = async (client: DatabaseClient, query: string, onRow: (row: CopiedRow) => void): Promise<void> => {
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
