import type { DatabaseClient } from '../../database/client.ts';
import type { ProductColumns } from './columns.ts';
import { readCopied } from './copied-rows.ts';
import type { ProductIndex } from './product-index.ts';

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
