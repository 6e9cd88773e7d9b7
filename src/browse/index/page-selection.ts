import type { BrowseRequest, Position, ProductSearchOrder } from '../browse-engine.ts';
import type { ProductColumns } from './columns.ts';
import { centsOf, decimalOf } from './prices.ts';

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
  readonly #size: number;
  readonly #chunkKeys = new Float64Array(CHUNK);
  /** The worst of those taken is first. */
  readonly #rows: Int32Array;
  readonly #keys: Float64Array;
  #taken = 0;
  /** Of all rows that match: those on the page's side of the boundary, and the others. */
  #within = 0;
  #beyond = 0;

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
    this.#size = page.size + (page.from === 'offset' ? page.offset : 0);
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
    const rows = sorted.map((at) => this.#rows[at] as number);
    const { from } = this.#page;
    if (from === 'end')
      return { rows: rows.reverse(), hasNextPage: this.#beyond > 0, hasPreviousPage: this.#within > rows.length };
    if (from === 'start') return { rows, hasNextPage: this.#within > rows.length, hasPreviousPage: this.#beyond > 0 };
    const { offset } = this.#page;
    return {
      rows: rows.slice(offset),
      hasNextPage: this.#within > this.#size,
      hasPreviousPage: offset > 0 && this.#within > 0,
    };
  }

  /** Takes what belongs to the page out of rows that match: at most {@link CHUNK}. */
  offer(rows: Int32Array, length: number): void {
    this.#fillKeys(rows, length);
    const keys = this.#chunkKeys;
    const boundary = this.#boundary;
    for (let at = 0; at < length; at += 1) {
      const key = keys[at] as number;
      const row = rows[at] as number;
      if (boundary !== undefined && !this.#isPast(boundary, key, row)) {
        this.#beyond += 1;
        continue;
      }
      this.#within += 1;
      if (this.#taken < this.#size) this.#push(key, row);
      else if (key >= (this.#keys[0] as number)) this.#replaceWorst(key, row);
    }
  }

  #fillKeys(rows: Int32Array, length: number): void {
    const { price, sales, publishedAt, nameRank } = this.#columns;
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
    if (!this.#comesBefore(key, row, this.#keys[0] as number, this.#rows[0] as number)) return;
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
      return { key: Number(first) * SALES_RANGE + Number(second), publishedAt: Number(third), id };
    case 'BEST_SELLING':
      return { key: Number(first), publishedAt: Number(second), id };
    case 'NEWEST':
      return { key: Number(first), publishedAt: 0, id };
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
      return [String(score), String(sales[row]), String(publishedAt[row]), idText];
    case 'BEST_SELLING':
      return [String(sales[row]), String(publishedAt[row]), idText];
    case 'NEWEST':
      return [String(publishedAt[row]), idText];
    case 'PRICE_ASC':
    case 'PRICE_DESC':
      return [decimalOf(price[row] as number), idText];
    case 'NAME_ASC':
      return [idText];
  }
};
