import type { DatabaseClient } from '../../database/connection.ts';
import { namesIn } from '../../language/shown.ts';
import type { FallBacks, Position } from '../browse-engine.ts';
import { readCopied } from './read.ts';
import { Column, type ProductColumns, Slice } from './rows.ts';
import { hashOf } from './words.ts';

/** Between two ranks that are read; it can be halved some 30 times. */
const GAP = 2 ** 20;

/** For each of them all ranks are looked through. */
const MANY_NAMES = 200;

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
  readonly #unranked = new Set<number>();
  #hasRanks = false;
  readonly #columns: ProductColumns;
  readonly #languages: FallBacks;

  constructor(columns: ProductColumns, languages: FallBacks) {
    this.#columns = columns;
    this.#languages = languages;
  }

  get bytes(): number {
    return this.rank.bytes + this.#hash.bytes;
  }

  get areKnown(): boolean {
    return this.#hasRanks && this.#unranked.size === 0;
  }

  /** @param before the row that the product had, where it had one; otherwise -1 */
  put(id: number, row: number, before: number, name: Slice): void {
    const rank = this.#rankOf(before, name);
    this.rank.set(row, rank);
    this.#hash.set(row, hashOf(name));
    if (!Number.isNaN(rank)) this.#unranked.delete(id);
    else if (this.#hasRanks) this.#unranked.add(id);
  }

  remove(id: number): void {
    this.#unranked.delete(id);
  }

  renumber(newRows: Int32Array): void {
    this.rank.renumber(newRows);
    this.#hash.renumber(newRows);
  }

  /** Undefined where the index does not know the name. */
  rankOfPosition([name = '', id = '']: Position): number | undefined {
    const rank = this.#rankOf(this.#columns.rowOf(Number(id)), Slice.of(name));
    return Number.isNaN(rank) ? undefined : rank;
  }

  #isNamed(row: number, name: Slice): boolean {
    return row >= 0 && this.#hash.values[row] === hashOf(name);
  }

  /** NaN where the row has another name, too. */
  #rankOf(row: number, name: Slice): number {
    return this.#isNamed(row, name) ? (this.rank.values[row] as number) : Number.NaN;
  }

  /** Ranks the names that have none yet. Where the name before has changed too and is not read yet, the name waits for the next call. */
  async rankNew(client: DatabaseClient): Promise<void> {
    const areFew = this.#hasRanks && this.#unranked.size <= MANY_NAMES;
    if (areFew && (this.#unranked.size === 0 || (await this.#rankBehindOthers(client)))) return;
    await this.rankAll(client);
  }

  async rankAll(client: DatabaseClient): Promise<void> {
    const columns = this.#columns;
    this.#hasRanks = false;
    this.rank.clear();
    this.#unranked.clear();
    let rank = 0;
    const { joins, name } = namesIn(this.#languages);
    const all = `select p.id::int, ${name}::text from product p${joins} where p.status = 'ON_SALE' order by ${name}, p.id`;
    await readCopied(client, all, (copied) => {
      rank += GAP;
      const row = columns.rowOf(copied.int());
      const text = copied.slice();
      if (text && this.#isNamed(row, text)) this.rank.set(row, rank);
    });
    for (let row = 0; row < columns.count; row += 1)
      if (Number.isNaN(this.rank.values[row]) && columns.isLive.has(row))
        this.#unranked.add(columns.id.values[row] as number);
    this.#hasRanks = true;
  }

  /** @returns false where there is no number left between two neighbours */
  async #rankBehindOthers(client: DatabaseClient): Promise<boolean> {
    const { rows } = await client.query<Neighbours>(NEIGHBOURS, [[...this.#unranked]]);
    for (const [at, { id, name, beforeId, beforeName }] of rows.entries()) {
      const row = this.#columns.rowOf(id);
      const low = beforeName === null ? Number.NEGATIVE_INFINITY : this.rankOfPosition([beforeName, `${beforeId}`]);
      if (low === undefined || !this.#isNamed(row, Slice.of(name))) continue;
      const high = this.#rankAbove(low);
      const from = Number.isFinite(low) ? low : Number.isFinite(high) ? high - 2 * GAP : 0;
      const to = Number.isFinite(high) ? high : from + 2 * GAP;
      // All others may have to be between this one and the next.
      const rank = from + (to - from) / (rows.length - at + 1);
      if (rank <= low || rank >= high) return false;
      this.rank.set(row, rank);
      this.#unranked.delete(id);
    }
    return true;
  }

  /** The least rank above one; infinity where there is none. */
  #rankAbove(rank: number): number {
    let least = Number.POSITIVE_INFINITY;
    for (const each of this.rank.values) if (each > rank && each < least) least = each;
    return least;
  }
}

interface Neighbours {
  readonly id: number;
  readonly name: string;
  /** Null where the name is the first. */
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
