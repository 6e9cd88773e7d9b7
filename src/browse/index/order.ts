import type { DatabaseClient } from '../../database/connection.ts';
import { namesIn } from '../../language/shown.ts';
import type { BrowseRequest, FallBacks, Position, ProductSearchOrder } from '../browse-engine.ts';
import { type KeyColumn, SEARCH_ORDERS } from '../order.ts';
import { decimalOf } from '../price-bands.ts';
import { readCopied } from './read.ts';
import type { RowSet } from './row-set.ts';
import { Column, type ProductColumns, type ProductRow, Slice } from './rows.ts';
import { hashOf } from './words.ts';

/** A score and sales in one number: sales have 31 bits. */
const SALES_RANGE = 2 ** 31;

/** The columns of orders by their names in SQL. */
const COLUMNS = { sales: 'sales', published_at: 'publishedAt', price: 'price', id: 'id' } as const;

type Sold = Pick<ProductRow, 'sales' | 'publishedAt' | 'id'>;

const BEST_SELLING_KEYS = SEARCH_ORDERS.BEST_SELLING.columns.map(
  (column) => COLUMNS[column as keyof typeof COLUMNS] as keyof Sold,
);

/** As BEST_SELLING sorts products. */
export const bestSellingFirst = (one: Sold, other: Sold): number => {
  const key = BEST_SELLING_KEYS.find((each) => one[each] !== other[each]);
  return key === undefined ? 0 : other[key] - one[key];
};

/** Where a row stands in an order. */
interface Place {
  /** The value of the order's first column, with the score where there is one; negative where the smallest come first. */
  readonly key: number;
  readonly publishedAt: number;
  readonly id: number;
}

interface Candidate extends Place {
  readonly row: number;
}

/** What some orders need besides the columns of products. */
interface OrderedBy {
  /** By row, of RELEVANCE. */
  readonly scores?: Uint8Array | undefined;
  /** By row, of NAME_ASC. */
  readonly nameRank?: Column;
  /** Where the name stands that the page continues from. */
  readonly boundaryRank?: number | undefined;
}

/** The rows of a page, in the order that is asked for. @param found the rows of all pages */
export const pageOf = (
  columns: ProductColumns,
  found: RowSet,
  request: Pick<BrowseRequest, 'order' | 'page'>,
  by: OrderedBy = {},
) => {
  const selection = new PageSelection(columns, request, by);
  found.visit(
    (block) => selection.mayHave(block),
    (rows, count) => selection.offer(rows, count),
  );
  return selection.finish();
};

/** Takes the rows of one page out of all that are offered: those with the greatest keys. Of a numbered page all rows before it are taken, too. */
class PageSelection {
  readonly #columns: ProductColumns;
  readonly #column: Column;
  readonly #scores: Uint8Array | undefined;
  readonly #page: BrowseRequest['page'];
  /** 1 where the greatest come first, of keys and of what decides between equal ones. */
  readonly #direction: 1 | -1;
  readonly #hasTiesByTime: boolean;
  /** Where the page begins. */
  readonly #boundary: Place | undefined;
  /** The page and what is before it by number, and one row more, which shows whether there is more. */
  readonly #size: number;
  /** Those that may be of the page, in no order. Where they are twice as many as it has rows, only the best stay. */
  #taken: Candidate[] = [];
  /** The last of the best, once there are enough: no row that comes after it belongs to the page. */
  #last: Candidate | undefined;
  /** Only rows with keys from the least to the greatest are looked at: the first is that of `#last`. */
  #leastKey = Number.NEGATIVE_INFINITY;
  /** That of the boundary, once a row before it was seen: one is enough to say that there is a page before this one. */
  #greatestKey = Number.POSITIVE_INFINITY;

  constructor(
    columns: ProductColumns,
    { order, page }: Pick<BrowseRequest, 'order' | 'page'>,
    { scores, nameRank, boundaryRank = Number.NaN }: OrderedBy,
  ) {
    const { columns: names, isDescending } = SEARCH_ORDERS[order];
    const first = names[0] === 'score' ? 'sales' : (names[0] as keyof typeof COLUMNS | 'name');
    this.#columns = columns;
    this.#column = first === 'name' ? (nameRank as Column) : columns[COLUMNS[first]];
    this.#scores = names[0] === 'score' ? scores : undefined;
    this.#hasTiesByTime = names.includes('published_at');
    this.#page = page;
    this.#direction = isDescending !== (page.from === 'end') ? 1 : -1;
    const { position, offset = 0 } = page;
    if (position) {
      const of = (column: KeyColumn): string => position[names.indexOf(column)] ?? '';
      const publishedAt = Number(of('published_at'));
      const key = {
        sales: () => Number(of('sales')) + Number(of('score')) * SALES_RANGE,
        published_at: () => publishedAt,
        price: () => centsOf(of('price'), 'up'),
        name: () => boundaryRank,
        id: () => Number(of('id')),
      }[first]();
      this.#boundary = { key: this.#direction * key, publishedAt, id: Number(of('id')) };
    }
    this.#size = page.size + offset + 1;
  }

  finish() {
    const { from, offset = 0 } = this.#page;
    this.#keepBest();
    const hasMore = this.#taken.length === this.#size;
    const rows = this.#taken.slice(offset, this.#size - 1).map(({ row }) => row);
    const isPreceded = this.#greatestKey !== Number.POSITIVE_INFINITY;
    if (from === 'end') return { rows: rows.reverse(), hasNextPage: isPreceded, hasPreviousPage: hasMore };
    return { rows, hasNextPage: hasMore, hasPreviousPage: offset > 0 ? this.#taken.length > 0 : isPreceded };
  }

  /** Whether the keys of a block are good enough for the page. */
  mayHave(block: number): boolean {
    if (this.#scores) return true;
    const { publishedAt, id } = this.#columns;
    const direction = this.#direction;
    const [best, worst] = direction > 0 ? (['greatest', 'least'] as const) : (['least', 'greatest'] as const);
    const bestKey = direction * (this.#column[best][block] as number);
    const worstKey = direction * (this.#column[worst][block] as number);
    if (!(bestKey >= this.#leastKey) || worstKey > this.#greatestKey) return false;
    // No row of the block can stand before this place.
    const place = { key: bestKey, publishedAt: publishedAt[best][block] as number, id: id[best][block] as number };
    return !this.#last || this.#comesBefore(place, this.#last);
  }

  /** @param count so many of the rows are offered */
  offer(rows: Int32Array, count: number): void {
    const { values } = this.#column;
    const direction = this.#direction;
    const scores = this.#scores;
    let least = this.#leastKey;
    let greatest = this.#greatestKey;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] as number;
      const score = scores === undefined ? 0 : (scores[row] as number) * SALES_RANGE;
      const key = direction * (score + (values[row] as number));
      if (!(key >= least && key <= greatest)) continue;
      this.#take(key, row);
      least = this.#leastKey;
      greatest = this.#greatestKey;
    }
  }

  #take(key: number, row: number): void {
    const { publishedAt, id } = this.#columns;
    const candidate = { key, publishedAt: publishedAt.values[row] as number, id: id.values[row] as number, row };
    if (this.#last && !this.#comesBefore(candidate, this.#last)) return;
    if (this.#boundary && !this.#comesBefore(this.#boundary, candidate)) this.#greatestKey = this.#boundary.key;
    else this.#taken.push(candidate);
    if (this.#taken.length === this.#size * 2) this.#keepBest();
  }

  #keepBest(): void {
    this.#taken.sort((one, other) => (this.#comesBefore(one, other) ? -1 : 1));
    this.#taken.length = Math.min(this.#taken.length, this.#size);
    this.#last = this.#taken[this.#size - 1];
    this.#leastKey = this.#last?.key ?? Number.NEGATIVE_INFINITY;
  }

  #comesBefore(one: Place, other: Place): boolean {
    if (one.key !== other.key) return one.key > other.key;
    const isByTime = this.#hasTiesByTime && one.publishedAt !== other.publishedAt;
    return this.#direction * (isByTime ? one.publishedAt - other.publishedAt : one.id - other.id) > 0;
  }
}

/** Where a row stands; the name is left to the caller. */
export const positionOfRow = (
  columns: ProductColumns,
  order: ProductSearchOrder,
  row: number,
  score: number,
): string[] =>
  SEARCH_ORDERS[order].columns.flatMap((column) => {
    if (column === 'name') return [];
    if (column === 'score') return [String(score)];
    const value = columns[COLUMNS[column]].values[row] as number;
    // Of a large number `String` does not give all digits.
    return [column === 'price' ? decimalOf(value) : `${BigInt(value)}`];
  });

const DECIMAL = /^(-?)0*(\d*)(?:\.(\d*))?$/;

/** A decimal in cents; one between two cents becomes the next one in the direction that keeps the comparison the same. */
export const centsOf = (decimal: string, direction: 'up' | 'down'): number => {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(decimal) ?? [];
  const cents = Number(`${whole}${fraction.slice(0, 2).padEnd(2, '0')}`);
  const hasRest = /[1-9]/.test(fraction.slice(2));
  if (sign === '-') return -(hasRest && direction === 'down' ? cents + 1 : cents);
  return hasRest && direction === 'up' ? cents + 1 : cents;
};

/** Between two ranks that are read; it can be halved some 30 times. */
const GAP = 2 ** 20;

/** More than these are ranked with all others. */
const MANY_NAMES = 1000;

const GAP_MS = 10_000;

/**
 * Where the names of products stand in the database's collation, which JavaScript does not have: a rank grows with the name, read for all, and put
 * between neighbours for a new one.
 */
export class NameOrder {
  /** By row; NaN while it is not known. */
  readonly rank = new Column();
  /** By row, of the name. */
  readonly #hash = new Column();
  /** Products whose rank is not known; undefined while all names are to be ranked. */
  #unranked: Set<number> | undefined;
  /** The latest: a product that was off sale for just then may stand on the wrong side of the names there, and is ranked once more. */
  #gaps: readonly Gap[] = [];
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
    return this.#unranked?.size === 0;
  }

  /** @param before the row that the product had, where it had one; otherwise -1 */
  put(id: number, row: number, before: number, name: Slice): void {
    const known = this.#rankOf(before, name);
    const rank = this.#wasPassed(id, known) ? Number.NaN : known;
    this.rank.set(row, rank);
    this.#hash.set(row, hashOf(name));
    if (Number.isNaN(rank)) this.#unranked?.add(id);
    else this.#unranked?.delete(id);
  }

  remove(id: number): void {
    this.#unranked?.delete(id);
  }

  renumber(newRows: Int32Array): void {
    this.rank.renumber(newRows);
    this.#hash.renumber(newRows);
  }

  /** Whether names were put where the product stands, and not seen beside it. */
  #wasPassed(id: number, rank: number): boolean {
    return this.#gaps.some(
      ({ low, high, alike }) => low < rank && rank < high && !alike.some((each) => each.id === id),
    );
  }

  /** NaN where the index does not know the name. */
  rankOfPosition([name = '', id = '']: Position): number {
    return this.#rankOf(this.#columns.rowOf(Number(id)), Slice.of(name));
  }

  #isNamed(row: number, name: Slice): boolean {
    return row >= 0 && this.#hash.values[row] === hashOf(name);
  }

  /** NaN where the row has another name, too. */
  #rankOf(row: number, name: Slice): number {
    return this.#isNamed(row, name) ? (this.rank.values[row] as number) : Number.NaN;
  }

  /**
   * Whether all names are to be ranked: nothing else is of use before they are. Only the language of the tables' columns has an index of names, by
   * which the neighbours of a new one are found.
   */
  get needsAll(): boolean {
    return !this.#unranked || (this.#languages !== undefined && !this.areKnown);
  }

  /** Ranks the names that have none yet. Where a neighbour has changed too and is not read yet, a name waits for the next call. */
  async rankNew(client: DatabaseClient): Promise<void> {
    const unranked = this.#unranked;
    if (!unranked || this.areKnown || this.needsAll) return;
    if (unranked.size > MANY_NAMES || !(await this.#rankBetweenOthers(client, unranked))) this.#unranked = undefined;
  }

  async rankAll(client: DatabaseClient): Promise<void> {
    const columns = this.#columns;
    this.#unranked = undefined;
    this.#gaps = [];
    this.rank.clear();
    let rank = 0;
    const { joins, name } = namesIn(this.#languages);
    const all = `select p.id::int, ${name}::text from product p${joins} where p.status = 'ON_SALE' order by ${name}, p.id`;
    await readCopied(client, all, (copied) => {
      rank += GAP;
      const row = columns.rowOf(copied.int());
      const text = copied.slice();
      if (text && this.#isNamed(row, text)) this.rank.set(row, rank);
    });
    this.#unranked = new Set();
    for (let row = 0; row < columns.count; row += 1)
      if (Number.isNaN(this.rank.values[row]) && columns.isLive.has(row))
        this.#unranked.add(columns.id.values[row] as number);
  }

  /** @returns false where there is no number left between two neighbours */
  async #rankBetweenOthers(client: DatabaseClient, unranked: Set<number>): Promise<boolean> {
    const { rows } = await client.query<Neighbours>({ ...NEIGHBOURS, values: [[...unranked]] });
    const nowMs = performance.now();
    const recent = this.#gaps.filter(({ untilMs }) => untilMs > nowMs);
    // Names with the same neighbours share the room between these.
    for (const alike of Map.groupBy(rows, ({ before }) => before?.join()).values()) {
      const [{ before, after }] = alike as [Neighbours];
      const low = before ? this.rankOfPosition(before) : Number.NEGATIVE_INFINITY;
      const high = after ? this.rankOfPosition(after) : Number.POSITIVE_INFINITY;
      // Nor where a neighbour has a name that is not read yet.
      if (!(low < high)) continue;
      recent.push({ low, high, alike, untilMs: nowMs + GAP_MS });
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
        unranked.delete(id);
      }
    }
    this.#gaps = recent.slice(-MANY_NAMES);
    return true;
  }
}

/** Between the ranks of two neighbours, where the names of some products were put. */
interface Gap {
  readonly low: number;
  readonly high: number;
  readonly alike: readonly Neighbours[];
  /** By then every change that the neighbours were read with has come into the index. */
  readonly untilMs: number;
}

interface Neighbours {
  readonly id: number;
  readonly name: string;
  /** Null where the name is the first, or the last. */
  readonly before: Position | null;
  readonly after: Position | null;
}

const neighbour = (side: '<' | '>', direction: 'asc' | 'desc'): string => `
  left join lateral (
    select array[q.name::text, q.id::text] as position from product q
    where q.status = 'ON_SALE' and (q.name, q.id) ${side} (p.name, p.id) and q.id <> all($1::int[])
    order by q.name ${direction}, q.id ${direction} limit 1
  )`;

/** Of some products those before and after them by name that are none of them. */
const NEIGHBOURS = {
  name: 'index_neighbours',
  text: `
  select p.id, p.name, before.position as before, after.position as after
  from product p ${neighbour('<', 'desc')} before on true ${neighbour('>', 'asc')} after on true
  where p.id = any($1::int[]) and p.status = 'ON_SALE'
  order by p.name, p.id`,
};
