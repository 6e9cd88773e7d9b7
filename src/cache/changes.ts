import type { ProductChange } from './product-change.ts';

/** The tables of which changes are told. */
export type Table = 'category' | 'product' | 'notice';

/** Something that an answer can rest on: a table, a product, the products of a category, whatever products there are. */
export type Part = number;

/**
 * What has changed, and in what order. Every change has a number, and every part the number of the last change that touched it: a read is
 * still true while no part that it rests on has a higher number than it began at.
 */
export interface Changes {
  /** The number of the latest change. */
  readonly sequence: () => number;
  /** Whether one of these parts has changed after the change of this number. */
  readonly haveTouched: (parts: readonly Part[], sequence: number) => boolean;
  /** All of a table may have changed. */
  readonly tableChanged: (table: Table) => void;
  readonly productsChanged: (change: Pick<ProductChange, 'ids' | 'categoryIds'>) => void;
}

// Of products and categories whose ids are as much apart, a change of one counts as a change of the other. A page of the array takes memory
// once an id on it has changed: 8 MB at most.
const PRODUCTS = 2 ** 20;
const CATEGORIES = 2 ** 14;

const WHOLE: Readonly<Record<Table, Part>> = { category: 0, notice: 1, product: 2 };
const FIRST_PRODUCT = 4;
const FIRST_CATEGORY = FIRST_PRODUCT + PRODUCTS;

/** All of a table at once. What rests on any part of a table rests on this too. */
export const wholeOf = (table: Table): Part => WHOLE[table];

/** Whatever products there are: every change of one touches it. */
export const ANY_PRODUCT: Part = 3;

/** The product of an id, there or not. */
export const productOf = (id: number): Part => FIRST_PRODUCT + (id & (PRODUCTS - 1));

/** The products that stand in a category, did, or will. */
export const productsIn = (categoryId: number): Part => FIRST_CATEGORY + (categoryId & (CATEGORIES - 1));

export const createChanges = (): Changes => {
  // Whole numbers, exact up to 2^53: at a million changes a second, for 285 years.
  const lastChange = new Float64Array(FIRST_CATEGORY + CATEGORIES);
  let sequence = 0;

  return {
    sequence: () => sequence,
    haveTouched: (parts, since) => {
      for (const part of parts) if ((lastChange[part] ?? 0) > since) return true;
      return false;
    },
    tableChanged: (table) => {
      sequence += 1;
      lastChange[WHOLE[table]] = sequence;
    },
    productsChanged: ({ ids, categoryIds }) => {
      sequence += 1;
      lastChange[ANY_PRODUCT] = sequence;
      for (const id of ids) lastChange[productOf(id)] = sequence;
      for (const id of categoryIds) lastChange[productsIn(id)] = sequence;
    },
  };
};
