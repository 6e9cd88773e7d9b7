import type { DatabaseClient } from '../../database/connection.ts';
import { namesIn } from '../../language/shown.ts';
import type { FallBacks, Position } from '../browse-engine.ts';
import { readCopied } from './read.ts';
import { Column, type ProductColumns, Slice } from './rows.ts';
import { type BestSellersOf, Suggestions } from './suggest.ts';
import { hashOf, Words } from './words.ts';

const BYTES_PER_LABEL = 150;

/** What the catalogue says in one language: by what products are searched, sorted by name and suggested, and what terms are called. */
export class LanguageTexts {
  /** Undefined for the language of the tables' columns. */
  readonly languages: FallBacks;
  readonly words = new Words();
  readonly names: NameOrder;
  readonly suggestions: Suggestions;
  #labels: ReadonlyMap<string, string> = new Map();

  constructor(columns: ProductColumns, bestSellers: BestSellersOf, languages: FallBacks, maxNames: number) {
    this.languages = languages;
    this.names = new NameOrder(columns, languages);
    this.suggestions = new Suggestions(columns, this.words, bestSellers, maxNames);
  }

  get bytes(): number {
    const parts = [this.words, this.names, this.suggestions];
    return parts.reduce((sum, { bytes }) => sum + bytes, this.#labels.size * BYTES_PER_LABEL);
  }

  /** @param labels by term */
  set labels(labels: ReadonlyMap<string, string>) {
    this.#labels = labels;
    this.suggestions.labelOfTag = this.labelOf;
  }

  /** What a tag, or the name or a value of an option or an attribute, is called. */
  readonly labelOf = (term: string): string => this.#labels.get(term) ?? term;
}

/** Between two ranks that are read; it can be halved some 30 times. */
const GAP = 2 ** 20;

/** More than these are ranked with all others. */
const MANY_NAMES = 1000;

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

  /**
   * Whether all names are to be ranked: nothing else is of use before they are. Only the language of the tables' columns has an index of names, by which
   * the neighbours of a new one are found.
   */
  get needsAll(): boolean {
    return !this.#hasRanks || (this.#languages !== undefined && this.#unranked.size > 0);
  }

  /** Ranks the names that have none yet, where that can be done. Where a neighbour has changed too and is not read yet, a name waits for the next call. */
  async rankNew(client: DatabaseClient): Promise<void> {
    if (this.areKnown || this.needsAll) return;
    this.#hasRanks = this.#unranked.size <= MANY_NAMES && (await this.#rankBetweenOthers(client));
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
  async #rankBetweenOthers(client: DatabaseClient): Promise<boolean> {
    const { rows } = await client.query<Neighbours>({ ...NEIGHBOURS, values: [[...this.#unranked]] });
    // Names with the same neighbours share the room between these.
    for (const alike of Map.groupBy(rows, ({ beforeId }) => beforeId).values()) {
      const [{ beforeId, beforeName, afterId, afterName }] = alike as [Neighbours];
      const low = beforeName === null ? Number.NEGATIVE_INFINITY : this.rankOfPosition([beforeName, `${beforeId}`]);
      const high = afterName === null ? Number.POSITIVE_INFINITY : this.rankOfPosition([afterName, `${afterId}`]);
      if (low === undefined || high === undefined) continue;
      const room = GAP * (alike.length + 1);
      const from = Number.isFinite(low) ? low : Number.isFinite(high) ? high - room : 0;
      const step = ((Number.isFinite(high) ? high : from + room) - from) / (alike.length + 1);
      let rank = from;
      for (const { id, name } of alike) {
        if (rank + step <= rank || rank + step >= high) return false;
        rank += step;
        const row = this.#columns.rowOf(id);
        if (!this.#isNamed(row, Slice.of(name))) continue;
        this.rank.set(row, rank);
        this.#unranked.delete(id);
      }
    }
    return true;
  }
}

interface Neighbours {
  readonly id: number;
  readonly name: string;
  /** Null where the name is the first. */
  readonly beforeId: number | null;
  readonly beforeName: string | null;
  /** Null where the name is the last. */
  readonly afterId: number | null;
  readonly afterName: string | null;
}

const neighbour = (side: '<' | '>', direction: 'asc' | 'desc'): string => `
  left join lateral (
    select q.id, q.name from product q where q.status = 'ON_SALE' and (q.name, q.id) ${side} (p.name, p.id) and q.id <> all($1::int[])
    order by q.name ${direction}, q.id ${direction} limit 1
  )`;

/** Of some products those before and after them by name that are none of them. */
const NEIGHBOURS = {
  name: 'index_neighbours',
  text: `
  select p.id, p.name, before.id as "beforeId", before.name as "beforeName", after.id as "afterId", after.name as "afterName"
  from product p ${neighbour('<', 'desc')} before on true ${neighbour('>', 'asc')} after on true
  where p.id = any($1::int[]) and p.status = 'ON_SALE'
  order by p.name, p.id`,
};
