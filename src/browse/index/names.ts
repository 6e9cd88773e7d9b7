import type { DatabaseClient } from '../../database/connection.ts';
import { namesIn } from '../../language/shown.ts';
import type { FallBacks, Position } from '../browse-engine.ts';
import { readCopied } from './read.ts';
import { Column, type ProductColumns, Slice } from './rows.ts';
import { hashOfBytes } from './words.ts';

/**
 * Where the names of products stand in the database's collation, which JavaScript does not have: a rank grows with the name, read for all, and put
 * between neighbours for a new one.
 */
export class NameOrder {
  /** By row; NaN while it is not known. */
  readonly rank = new Column();
  /** By row, of the name. */
  readonly #hash = new Column();
  /** Products whose rank is not known; not kept before all were read once. */
  readonly unranked = new Set<number>();
  hasRanks = false;

  get bytes(): number {
    return this.rank.bytes + this.#hash.bytes;
  }

  get areKnown(): boolean {
    return this.hasRanks && this.unranked.size === 0;
  }

  /** @param before the row that the product had, where it had one; otherwise -1 */
  put(id: number, row: number, before: number, name: Slice): void {
    const rank = this.isNamed(before, name) ? (this.rank.values[before] as number) : Number.NaN;
    this.rank.set(row, rank);
    this.#hash.set(row, hashOfName(name));
    if (!Number.isNaN(rank)) this.unranked.delete(id);
    else if (this.hasRanks) this.unranked.add(id);
  }

  isNamed(row: number, name: Slice): boolean {
    return row >= 0 && this.#hash.values[row] === hashOfName(name);
  }

  /** Undefined where the row has another name, or its rank is not known. */
  rankOf(row: number, name: Slice): number | undefined {
    const rank = this.isNamed(row, name) ? this.rank.values[row] : undefined;
    return Number.isNaN(rank) ? undefined : rank;
  }

  /** The least rank above one; infinity where there is none. */
  rankAbove(rank: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const each of this.rank.values) if (each > rank && each < least) least = each;
    return least;
  }

  renumber(newRows: Int32Array): void {
    this.rank.renumber(newRows);
    this.#hash.renumber(newRows);
  }
}

const hashOfName = ({ memory, begin, end }: Slice): number => hashOfBytes(memory, begin, end);

/** Between two ranks that are read; it can be halved some 30 times. */
const GAP = 2 ** 20;

/** For each of them all ranks are looked through. */
const MANY_NAMES = 200;

/** Ranks the names that have none yet. Where the name before has changed too and is not read yet, the name waits for the next call. */
export const rankNames = async (names: NameOrder, columns: ProductColumns, client: DatabaseClient): Promise<void> => {
  const { hasRanks, unranked } = names;
  const areFew = hasRanks && unranked.size <= MANY_NAMES;
  if (areFew && (unranked.size === 0 || (await rankBehindOthers(names, columns, client)))) return;
  await rankAll(names, columns, client);
};

/** Ranks all names as they are shown in a language. */
export const rankAll = async (
  names: NameOrder,
  columns: ProductColumns,
  client: DatabaseClient,
  languages?: FallBacks,
): Promise<void> => {
  const { unranked } = names;
  names.hasRanks = false;
  names.rank.clear();
  unranked.clear();
  let rank = 0;
  const { joins, name } = namesIn(languages);
  const all = `select p.id::int, ${name}::text from product p${joins} where p.status = 'ON_SALE' order by ${name}, p.id`;
  await readCopied(client, all, (copied) => {
    rank += GAP;
    const row = columns.rowOf(copied.int());
    const text = copied.slice();
    if (text && names.isNamed(row, text)) names.rank.set(row, rank);
  });
  for (let row = 0; row < columns.count; row += 1) {
    const id = columns.id.values[row] as number;
    if (Number.isNaN(names.rank.values[row]) && columns.rowOf(id) === row) unranked.add(id);
  }
  names.hasRanks = true;
};

interface Neighbours {
  readonly id: number;
  readonly name: string;
  readonly beforeId: number | null;
  readonly beforeName: string | null;
}

const NEIGHBOURS = `
  select p.id, p.name, before.id as "beforeId", before.name as "beforeName"
  from product p left join lateral (
    select q.id, q.name from product q where q.status = 'ON_SALE' and (q.name, q.id) < (p.name, p.id) order by q.name desc, q.id desc limit 1
  ) before on true
  where p.id = any($1::int[]) and p.status = 'ON_SALE'
  order by p.name, p.id`;

/** @returns false where there is no number left between two neighbours */
const rankBehindOthers = async (
  names: NameOrder,
  columns: ProductColumns,
  client: DatabaseClient,
): Promise<boolean> => {
  const { rows } = await client.query<Neighbours>(NEIGHBOURS, [[...names.unranked]]);
  for (const [at, { id, name, beforeId, beforeName }] of rows.entries()) {
    const row = columns.rowOf(id);
    const isFirst = beforeId === null || beforeName === null;
    const low = isFirst ? Number.NEGATIVE_INFINITY : names.rankOf(columns.rowOf(beforeId), Slice.of(beforeName));
    if (low === undefined || !names.isNamed(row, Slice.of(name))) continue;
    const high = names.rankAbove(low);
    const from = Number.isFinite(low) ? low : Number.isFinite(high) ? high - 2 * GAP : 0;
    const to = Number.isFinite(high) ? high : from + 2 * GAP;
    // All others may have to be between this one and the next.
    const rank = from + (to - from) / (rows.length - at + 1);
    if (rank <= low || rank >= high) return false;
    names.rank.set(row, rank);
    names.unranked.delete(id);
  }
  return true;
};

/** @returns undefined where the index does not know the name */
export const rankOfPosition = (
  names: NameOrder,
  columns: ProductColumns,
  [name = '', id = '']: Position,
): number | undefined => names.rankOf(columns.rowOf(Number(id)), Slice.of(name));
