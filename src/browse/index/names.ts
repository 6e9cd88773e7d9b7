import type { DatabaseClient } from '../../database/connection.ts';
import { namesIn } from '../../language/shown.ts';
import type { FallBacks, Position } from '../browse-engine.ts';
import { readCopied } from './read.ts';
import { Column, OrderColumn, type ProductColumns } from './rows.ts';

/**
 * Where the names of products stand in the database's collation, which JavaScript does not have: a rank grows with the name, read for all, and put
 * between neighbours for a new one.
 */
export class NameOrder {
  /** By row; NaN while it is not known. */
  readonly rank = new OrderColumn(new Float64Array(0));
  /** By row, `hashtext` of the name. */
  readonly hash = new Column(new Int32Array(0));
  /** Products whose rank is not known; not kept before all were read once. */
  readonly unranked = new Set<number>();
  hasRanks = false;
  /** How often all ranks were read: those of two readings cannot be compared. */
  rankings = 0;

  get bytes(): number {
    return this.rank.bytes + this.hash.bytes;
  }

  get areKnown(): boolean {
    return this.hasRanks && this.unranked.size === 0;
  }

  reserve(rows: number): void {
    this.rank.reserve(rows);
    this.hash.reserve(rows);
  }

  /** @param before the row that the product had, where it had one; otherwise -1 */
  put(id: number, row: number, before: number, hash: number): void {
    const isSame = before >= 0 && this.hash.values[before] === hash;
    const rank = isSame ? (this.rank.values[before] as number) : Number.NaN;
    this.rank.set(row, rank);
    this.hash.set(row, hash);
    if (!Number.isNaN(rank)) this.unranked.delete(id);
    else if (this.hasRanks) this.unranked.add(id);
  }

  /** Undefined where the row has another name, or its rank is not known. */
  rankOf(row: number, hash: number | null): number | undefined {
    const rank = row >= 0 && this.hash.values[row] === hash ? this.rank.values[row] : undefined;
    return Number.isNaN(rank) ? undefined : rank;
  }

  renumber(newRows: Int32Array): void {
    this.rank.renumber(newRows);
    this.hash.renumber(newRows);
  }
}

/** Between two ranks that are read; it can be halved some 30 times. */
const GAP = 2 ** 20;

const MANY_NAMES = 500;

/** Ranks the names that have none yet. Where a neighbour has changed too and is not read yet, the name waits for the next call. */
export const rankNames = async (names: NameOrder, columns: ProductColumns, client: DatabaseClient): Promise<void> => {
  const { hasRanks, unranked } = names;
  const areFew = hasRanks && unranked.size <= MANY_NAMES;
  if (areFew && (unranked.size === 0 || (await rankBetweenNeighbours(names, columns, client)))) return;
  await rankAll(names, columns, client);
};

/** Ranks all names as they are shown in a language. */
export const rankAll = async (
  names: NameOrder,
  columns: ProductColumns,
  client: DatabaseClient,
  languages?: FallBacks,
): Promise<void> => {
  const { unranked, hash } = names;
  names.hasRanks = false;
  names.rankings += 1;
  names.rank.fill(Number.NaN);
  unranked.clear();
  let rank = 0;
  const { joins, name } = namesIn(languages);
  const all = `select p.id::int, hashtext(${name}) from product p${joins} where p.status = 'ON_SALE' order by ${name}, p.id`;
  await readCopied(client, all, (copied) => {
    rank += GAP;
    const row = columns.rowOf(copied.int());
    if (row >= 0 && hash.values[row] === copied.int()) names.rank.set(row, rank);
  });
  for (let row = 0; row < columns.count; row += 1) {
    const id = columns.id.values[row] as number;
    if (Number.isNaN(names.rank.values[row]) && columns.rowOf(id) === row) unranked.add(id);
  }
  names.hasRanks = true;
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
const rankBetweenNeighbours = async (
  names: NameOrder,
  columns: ProductColumns,
  client: DatabaseClient,
): Promise<boolean> => {
  const { unranked } = names;
  const { rows } = await client.query<Neighbours>(NEIGHBOURS, [[...unranked]]);
  const rankOf = (id: number | null, hash: number | null, atEnd: number): number | undefined =>
    id === null ? atEnd : names.rankOf(columns.rowOf(id), hash);
  let run: number[] = [];
  let low: number | undefined;
  for (const { id, hash, beforeId, beforeHash, afterId, afterHash } of rows) {
    const row = columns.rowOf(id);
    if (row < 0 || names.hash.values[row] !== hash || !unranked.has(id)) {
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
    if (!spread(run, low, high, names)) return false;
    for (const each of run) unranked.delete(columns.id.values[each] as number);
    run = [];
  }
  return true;
};

/** Gives rows ranks at equal distances between two. @returns false where two would be equal */
const spread = (rows: readonly number[], low: number, high: number, names: NameOrder): boolean => {
  const from = Number.isFinite(low) ? low : Number.isFinite(high) ? high - GAP * (rows.length + 1) : 0;
  const to = Number.isFinite(high) ? high : from + GAP * (rows.length + 1);
  const step = (to - from) / (rows.length + 1);
  let last = from;
  for (const [index, row] of rows.entries()) {
    const rank = from + step * (index + 1);
    if (rank <= justAfter(last) || justAfter(rank) >= to) return false;
    names.rank.set(row, rank);
    last = rank;
  }
  return true;
};

interface Found {
  readonly id: number;
  readonly hash: number;
  readonly isSame: boolean;
}

const AT_OR_BEFORE = `
  select id, hashtext(name) as hash, (name, id) = ($1, $2::int) as "isSame" from product
  where status = 'ON_SALE' and (name, id) <= ($1, $2::int) order by name desc, id desc limit 1`;

/** No index has the names of another language in their order: only the product itself says where its name stands. */
const itself = (languages: FallBacks): string => {
  const { joins, name } = namesIn(languages);
  return `select p.id, hashtext(${name}) as hash, ${name} = $1 as "isSame" from product p${joins} where p.status = 'ON_SALE' and p.id = $2::int`;
};

/** @returns undefined where the index does not know the name */
export const rankOfPosition = async (
  names: NameOrder,
  columns: ProductColumns,
  client: DatabaseClient,
  [name = '', id = '']: Position,
  languages?: FallBacks,
): Promise<number | undefined> => {
  const { rows } = await client.query<Found>(languages ? itself(languages) : AT_OR_BEFORE, [name, id]);
  const [found] = rows;
  if (languages && !found?.isSame) return undefined;
  if (!found) return Number.NEGATIVE_INFINITY;
  const rank = names.rankOf(columns.rowOf(found.id), found.hash);
  return rank === undefined || found.isSame ? rank : justAfter(rank);
};

/** Before every greater rank: they are never so close. */
const justAfter = (rank: number): number => rank + Math.max(Math.abs(rank), 1) * Number.EPSILON * 2;
