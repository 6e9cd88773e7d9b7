import type { BrowseRequest, ProductSearchOrder } from '../browse-engine.ts';
import { type KeyColumn, SEARCH_ORDERS } from '../order.ts';
import { decimalOf } from '../price-bands.ts';
import type { RowSet } from './row-set.ts';
import type { Column, ProductColumns } from './rows.ts';

/** The rows of a page, in the order that was asked for. */
interface PageRows {
  readonly rows: readonly number[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** A score and sales in one number: sales have 31 bits. */
const SALES_RANGE = 2 ** 31;

/** The columns of orders by their names in SQL. */
const COLUMNS = { sales: 'sales', published_at: 'publishedAt', price: 'price', id: 'id' } as const;

/** Where a page begins: as a row has it, in its order. */
interface Boundary {
  readonly key: number;
  readonly publishedAt: number;
  readonly id: number;
}

/** A row with its key: the value of the order's first column, with the score where there is one; negative where the smallest come first. */
interface Candidate {
  readonly key: number;
  readonly row: number;
}

/** What some orders need besides the columns of products. */
interface OrderBeside {
  /** By row, of RELEVANCE. */
  readonly scores?: Uint8Array | undefined;
  /** Of NAME_ASC: where the names stand, and that of the product that the page continues from. */
  readonly nameRank?: Column;
  readonly boundaryRank?: number | undefined;
}

/** Takes the rows of one page out of all that match: those with the greatest keys. Of a numbered page all rows before it are taken, too. */
export class PageSelection {
  readonly #columns: ProductColumns;
  readonly #column: Column;
  readonly #scores: Uint8Array | undefined;
  readonly #page: BrowseRequest['page'];
  /** 1 where the greatest come first, of keys and of what decides between equal ones. */
  readonly #direction: 1 | -1;
  readonly #hasTiesByTime: boolean;
  readonly #boundary: Boundary | undefined;
  /** The page and what is before it by number, and one row more, which shows whether there is more. */
  readonly #size: number;
  /** Those that may be of the page, in no order. Where they are twice as many as it has rows, only the best stay. */
  #taken: Candidate[] = [];
  /** The last of the best: no row that comes after it belongs to the page. */
  #worst: Candidate | undefined;
  /** Whether a row that matches is on the other side of the boundary. */
  #hasBeyond = false;

  constructor(
    columns: ProductColumns,
    { order, page }: Pick<BrowseRequest, 'order' | 'page'>,
    { scores, nameRank, boundaryRank = Number.NaN }: OrderBeside = {},
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

  finish(): PageRows {
    const { from, offset = 0 } = this.#page;
    this.#keepBest();
    const hasMore = this.#taken.length === this.#size;
    const rows = this.#taken.slice(offset, this.#size - 1).map(({ row }) => row);
    const hasBeyond = this.#hasBeyond;
    if (from === 'end') return { rows: rows.reverse(), hasNextPage: hasBeyond, hasPreviousPage: hasMore };
    return { rows, hasNextPage: hasMore, hasPreviousPage: offset > 0 ? this.#taken.length > 0 : hasBeyond };
  }

  /** Takes what belongs to the page out of the rows that match. */
  offer(found: RowSet): void {
    found.visit(
      (block) => this.#mayHave(block),
      (rows, count) => this.#offerRows(rows, count),
    );
  }

  /** Whether the keys of a block are good enough for the page. */
  #mayHave(block: number): boolean {
    if (this.#scores) return true;
    const { publishedAt, id } = this.#columns;
    const direction = this.#direction;
    const [best, worst] = direction > 0 ? (['greatest', 'least'] as const) : (['least', 'greatest'] as const);
    const bestKey = direction * (this.#column[best][block] as number);
    if (!(bestKey >= this.#worstKey) || direction * (this.#column[worst][block] as number) > this.#bestWanted())
      return false;
    // Of equal keys, none in the block can come before the worst one.
    const tied = bestKey === this.#worst?.key ? this.#worst : undefined;
    return !tied || this.#winsTie(publishedAt[best][block] as number, id[best][block] as number, tied.row);
  }

  #offerRows(rows: Int32Array, count: number): void {
    const { values } = this.#column;
    const direction = this.#direction;
    const scores = this.#scores;
    let best = this.#bestWanted();
    let worst = this.#worstKey;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] as number;
      const score = scores === undefined ? 0 : (scores[row] as number) * SALES_RANGE;
      const key = direction * (score + (values[row] as number));
      if (!(key >= worst && key <= best)) continue;
      this.#take(key, row);
      worst = this.#worstKey;
      best = this.#bestWanted();
    }
  }

  /** Keys that are better than the boundary's only show that there is something beyond it. */
  #bestWanted(): number {
    return this.#hasBeyond && this.#boundary ? this.#boundary.key : Number.POSITIVE_INFINITY;
  }

  /** No row with a smaller key belongs to the page. */
  get #worstKey(): number {
    return this.#worst?.key ?? Number.NEGATIVE_INFINITY;
  }

  #take(key: number, row: number): void {
    if (this.#worst && !this.#comesBefore(key, row, this.#worst)) return;
    if (this.#boundary && !this.#isPast(this.#boundary, key, row)) this.#hasBeyond = true;
    else this.#taken.push({ key, row });
    if (this.#taken.length === this.#size * 2) this.#keepBest();
  }

  #keepBest(): void {
    this.#taken.sort((one, other) => (this.#comesBefore(one.key, one.row, other) ? -1 : 1));
    this.#taken.length = Math.min(this.#taken.length, this.#size);
    if (this.#taken.length === this.#size) this.#worst = this.#taken.at(-1);
  }

  #isPast({ key: boundaryKey, publishedAt, id }: Boundary, key: number, row: number): boolean {
    return key !== boundaryKey ? key < boundaryKey : this.#winsTie(publishedAt, id, row);
  }

  #comesBefore(key: number, row: number, other: Candidate): boolean {
    if (key !== other.key) return key > other.key;
    const { publishedAt, id } = this.#columns;
    return this.#winsTie(publishedAt.values[row] as number, id.values[row] as number, other.row);
  }

  #winsTie(publishedAt: number, id: number, row: number): boolean {
    const time = this.#columns.publishedAt.values[row] as number;
    const isByTime = this.#hasTiesByTime && publishedAt !== time;
    return this.#direction * (isByTime ? publishedAt - time : id - (this.#columns.id.values[row] as number)) > 0;
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
