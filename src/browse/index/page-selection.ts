import type { BrowseRequest, Position, ProductSearchOrder } from '../browse-engine.ts';
import { decimalOf } from '../price-bands.ts';
import { BLOCK_ROWS, type BlockExtremes } from './block-extremes.ts';
import { microsecondsOf, momentOf, type ProductColumns } from './columns.ts';
import { centsOf } from './prices.ts';

/** The rows of a page, in the order that was asked for. */
export interface PageRows {
  readonly rows: readonly number[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** A score and sales in one number: sales have 31 bits. */
const SALES_RANGE = 2 ** 31;

/** How many rows are looked at together: few enough that all that is read and written for them stays in the processor's cache. */
export const CHUNK = 1024;

/** Orders whose ties are by publication, latest first; those of the others are by id alone. */
const TIES_BY_PUBLICATION: ReadonlySet<ProductSearchOrder> = new Set(['RELEVANCE', 'BEST_SELLING']);
/** Orders whose ties are by ascending id. */
const ASCENDING: ReadonlySet<ProductSearchOrder> = new Set(['PRICE_ASC', 'NAME_ASC']);

/** Where a page begins: as a row has it, in its order. */
interface Boundary {
  readonly key: number;
  readonly publishedAt: number;
  readonly id: number;
}

/**
 * Takes the rows of one page out of all that match: the greatest keys, in a heap as long as the page and, for a numbered page, all rows before it.
 * For a page from the end, all comparisons are reversed.
 */
export class PageSelection {
  readonly #columns: ProductColumns;
  readonly #order: ProductSearchOrder;
  readonly #scores: Uint8Array | undefined;
  readonly #page: BrowseRequest['page'];
  readonly #sign: 1 | -1;
  readonly #boundary: Boundary | undefined;
  /** The page and what is before it by number, and one row more, which shows whether there is more. */
  readonly #size: number;
  readonly #chunkKeys = new Float64Array(CHUNK);
  /** The worst of those taken is first. */
  readonly #rows: Int32Array;
  readonly #keys: Float64Array;
  #taken = 0;
  /** Whether a row that matches is on the other side of the boundary. */
  #hasBeyond = false;

  /** @param boundaryRank where the boundary's name stands, in NAME_ASC */
  constructor(
    columns: ProductColumns,
    { order, page }: Pick<BrowseRequest, 'order' | 'page'>,
    scores: Uint8Array | undefined,
    boundaryRank = Number.NaN,
  ) {
    this.#columns = columns;
    this.#scores = scores;
    this.#order = order === 'RELEVANCE' && !scores ? 'BEST_SELLING' : order;
    this.#page = page;
    this.#sign = page.from === 'end' ? -1 : 1;
    const position = positionOf(page);
    const boundary = position && boundaryOf(this.#order, position, boundaryRank);
    this.#boundary = boundary && { ...boundary, key: boundary.key * this.#sign };
    this.#size = page.size + (page.from === 'offset' ? page.offset : 0) + 1;
    this.#rows = new Int32Array(this.#size);
    this.#keys = new Float64Array(this.#size);
  }

  finish(): PageRows {
    const sorted = [...this.#rows.subarray(0, this.#taken).keys()].sort((a, b) =>
      this.#comesBefore(
        this.#keys[a] as number,
        this.#rows[a] as number,
        this.#keys[b] as number,
        this.#rows[b] as number,
      )
        ? -1
        : 1,
    );
    const hasMore = this.#taken === this.#size;
    const rows = sorted.slice(0, this.#size - 1).map((at) => this.#rows[at] as number);
    const { from } = this.#page;
    const hasBeyond = this.#hasBeyond;
    if (from === 'end') return { rows: rows.reverse(), hasNextPage: hasBeyond, hasPreviousPage: hasMore };
    if (from === 'start') return { rows, hasNextPage: hasMore, hasPreviousPage: hasBeyond };
    const { offset } = this.#page;
    return { rows: rows.slice(offset), hasNextPage: hasMore, hasPreviousPage: offset > 0 && this.#taken > 0 };
  }

  /** Takes what belongs to the page out of rows that match: at most {@link CHUNK}. */
  offer(rows: Int32Array, length: number): void {
    this.#fillKeys(rows, length);
    const keys = this.#chunkKeys;
    let worst = this.#worst();
    for (let at = 0; at < length; at += 1) {
      const key = keys[at] as number;
      if (key < worst) continue;
      this.#take(key, rows[at] as number);
      worst = this.#worst();
    }
  }

  /**
   * Takes the page out of all rows that match. Few of them are looked at: only those whose keys are good enough for the page.
   * @param holds whether a row matches
   */
  offerAll(holds: (row: number) => boolean): void {
    const { price, sales, publishedAt, nameRank, extremes } = this.#columns;
    const sign = this.#sign;
    switch (this.#order) {
      case 'BEST_SELLING':
      case 'RELEVANCE':
        this.#offerColumn(sales, extremes.sales, sign, holds);
        return;
      case 'NEWEST':
        this.#offerColumn(publishedAt, extremes.publishedAt, sign, holds);
        return;
      case 'PRICE_ASC':
        this.#offerColumn(price.values, extremes.price, -sign, holds);
        return;
      case 'PRICE_DESC':
        this.#offerColumn(price.values, extremes.price, sign, holds);
        return;
      case 'NAME_ASC':
        this.#offerColumn(nameRank, extremes.nameRank, -sign, holds);
    }
  }

  /** @param sign of the column in the keys */
  #offerColumn(
    column: Int32Array | Uint32Array | Float64Array,
    extremes: BlockExtremes,
    sign: number,
    holds: (row: number) => boolean,
  ): void {
    const { count } = this.#columns;
    const { publishedAt, id } = this.#columns.extremes;
    publishedAt.refresh(this.#columns.publishedAt, count);
    id.refresh(this.#columns.id, count);
    const blocks = extremes.refresh(column, count);
    const [bestKeys, worstKeys] = sign > 0 ? [extremes.greatest, extremes.least] : [extremes.least, extremes.greatest];
    const isLatestFirst = this.#sign > 0;
    const isLowestIdFirst = ASCENDING.has(this.#order) === isLatestFirst;
    const bestTimes = isLatestFirst ? publishedAt.greatest : publishedAt.least;
    const bestIds = isLowestIdFirst ? id.least : id.greatest;
    for (let block = 0; block < blocks; block += 1) {
      const bestKey = sign * (bestKeys[block] as number);
      if (!(bestKey >= this.#worst()) || sign * (worstKeys[block] as number) > this.#bestWanted()) continue;
      // Of equal keys, none in the block can come before the worst one.
      if (bestKey === this.#worst() && !this.#winsTieOfWorst(bestTimes[block] as number, bestIds[block] as number))
        continue;
      const begin = block * BLOCK_ROWS;
      this.#offerBlock(column, sign, begin, Math.min(begin + BLOCK_ROWS, count), holds);
    }
  }

  #offerBlock(
    column: Int32Array | Uint32Array | Float64Array,
    sign: number,
    begin: number,
    end: number,
    holds: (row: number) => boolean,
  ): void {
    let best = this.#bestWanted();
    let worst = this.#worst();
    for (let row = begin; row < end; row += 1) {
      const key = sign * (column[row] as number);
      if (!(key >= worst && key <= best) || (key === worst && !this.#isBeforeWorst(key, row)) || !holds(row)) continue;
      this.#take(key, row);
      worst = this.#worst();
      best = this.#bestWanted();
    }
  }

  /** Keys that are better than the boundary's only show that there is something beyond it. */
  #bestWanted(): number {
    return this.#hasBeyond && this.#boundary ? this.#boundary.key : Number.POSITIVE_INFINITY;
  }

  #winsTieOfWorst(publishedAt: number, id: number): boolean {
    const worstRow = this.#rows[0] as number;
    const columns = this.#columns;
    return this.#winsTie(publishedAt, id, columns.publishedAt[worstRow] as number, columns.id[worstRow] as number);
  }

  /** No row with a smaller key belongs to the page. */
  #worst(): number {
    return this.#taken < this.#size ? Number.NEGATIVE_INFINITY : (this.#keys[0] as number);
  }

  #isBeforeWorst(key: number, row: number): boolean {
    return this.#comesBefore(key, row, this.#keys[0] as number, this.#rows[0] as number);
  }

  #take(key: number, row: number): void {
    const boundary = this.#boundary;
    if (boundary !== undefined && !this.#isPast(boundary, key, row)) this.#hasBeyond = true;
    else if (this.#taken < this.#size) this.#push(key, row);
    else if (key >= (this.#keys[0] as number)) this.#replaceWorst(key, row);
  }

  #fillKeys(rows: Int32Array, length: number): void {
    const { sales, publishedAt, nameRank } = this.#columns;
    const { values: price } = this.#columns.price;
    const keys = this.#chunkKeys;
    const sign = this.#sign;
    const scores = this.#scores;
    switch (this.#order) {
      case 'RELEVANCE':
        if (!scores) return;
        for (let at = 0; at < length; at += 1) {
          const row = rows[at] as number;
          keys[at] = sign * ((scores[row] as number) * SALES_RANGE + (sales[row] as number));
        }
        return;
      case 'BEST_SELLING':
        for (let at = 0; at < length; at += 1) keys[at] = sign * (sales[rows[at] as number] as number);
        return;
      case 'NEWEST':
        for (let at = 0; at < length; at += 1) keys[at] = sign * (publishedAt[rows[at] as number] as number);
        return;
      case 'PRICE_ASC':
        for (let at = 0; at < length; at += 1) keys[at] = -sign * (price[rows[at] as number] as number);
        return;
      case 'PRICE_DESC':
        for (let at = 0; at < length; at += 1) keys[at] = sign * (price[rows[at] as number] as number);
        return;
      case 'NAME_ASC':
        for (let at = 0; at < length; at += 1) keys[at] = -sign * (nameRank[rows[at] as number] as number);
    }
  }

  #comesBefore(key: number, row: number, otherKey: number, otherRow: number): boolean {
    if (key !== otherKey) return key > otherKey;
    const { publishedAt, id } = this.#columns;
    return this.#winsTie(
      publishedAt[row] as number,
      id[row] as number,
      publishedAt[otherRow] as number,
      id[otherRow] as number,
    );
  }

  #isPast(boundary: Boundary, key: number, row: number): boolean {
    if (key !== boundary.key) return key < boundary.key;
    const { publishedAt, id } = this.#columns;
    return this.#winsTie(boundary.publishedAt, boundary.id, publishedAt[row] as number, id[row] as number);
  }

  #winsTie(publishedAt: number, id: number, otherPublishedAt: number, otherId: number): boolean {
    if (TIES_BY_PUBLICATION.has(this.#order) && publishedAt !== otherPublishedAt)
      return this.#sign * (publishedAt - otherPublishedAt) > 0;
    return this.#sign * (ASCENDING.has(this.#order) ? otherId - id : id - otherId) > 0;
  }

  #push(key: number, row: number): void {
    let at = this.#taken;
    this.#taken += 1;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const parentKey = this.#keys[parent] as number;
      const parentRow = this.#rows[parent] as number;
      if (!this.#comesBefore(parentKey, parentRow, key, row)) break;
      this.#keys[at] = parentKey;
      this.#rows[at] = parentRow;
      at = parent;
    }
    this.#keys[at] = key;
    this.#rows[at] = row;
  }

  #replaceWorst(key: number, row: number): void {
    if (!this.#isBeforeWorst(key, row)) return;
    const length = this.#taken;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isWorse(child + 1, child)) child += 1;
      const childKey = this.#keys[child] as number;
      const childRow = this.#rows[child] as number;
      if (!this.#comesBefore(key, row, childKey, childRow)) break;
      this.#keys[at] = childKey;
      this.#rows[at] = childRow;
      at = child;
    }
    this.#keys[at] = key;
    this.#rows[at] = row;
  }

  #isWorse(at: number, other: number): boolean {
    return this.#comesBefore(
      this.#keys[other] as number,
      this.#rows[other] as number,
      this.#keys[at] as number,
      this.#rows[at] as number,
    );
  }
}

/** The position that a page continues from, where it does. */
export const positionOf = (page: BrowseRequest['page']): Position | undefined =>
  page.from === 'start' ? page.after : page.from === 'end' ? page.before : undefined;

const boundaryOf = (order: ProductSearchOrder, position: Position, rank: number): Boundary => {
  const id = Number(position.at(-1));
  const [first = '', second = '', third = ''] = position;
  switch (order) {
    case 'RELEVANCE':
      return { key: Number(first) * SALES_RANGE + Number(second), publishedAt: momentOf(third), id };
    case 'BEST_SELLING':
      return { key: Number(first), publishedAt: momentOf(second), id };
    case 'NEWEST':
      return { key: momentOf(first), publishedAt: 0, id };
    case 'PRICE_ASC':
      return { key: -centsOf(first, 'up'), publishedAt: 0, id };
    case 'PRICE_DESC':
      return { key: centsOf(first, 'up'), publishedAt: 0, id };
    case 'NAME_ASC':
      return { key: -rank, publishedAt: 0, id };
  }
};

/** Where a row stands; the name is left to the caller. */
export const positionOfRow = (
  { id, sales, publishedAt, price }: ProductColumns,
  order: ProductSearchOrder,
  row: number,
  score: number,
): string[] => {
  const idText = String(id[row]);
  switch (order) {
    case 'RELEVANCE':
      return [String(score), String(sales[row]), microsecondsOf(publishedAt[row] as number), idText];
    case 'BEST_SELLING':
      return [String(sales[row]), microsecondsOf(publishedAt[row] as number), idText];
    case 'NEWEST':
      return [microsecondsOf(publishedAt[row] as number), idText];
    case 'PRICE_ASC':
    case 'PRICE_DESC':
      return [decimalOf(price.values[row] as number), idText];
    case 'NAME_ASC':
      return [idText];
  }
};
