import type { Change } from '../../cache/tags.ts';

/** The ids of rows that have changed, or everything where they are not known. */
export interface Changes {
  readonly products: readonly number[];
  readonly categories: readonly number[];
  readonly notices: readonly number[];
  readonly everything: boolean;
}

export type Kind = Exclude<keyof Changes, 'everything'>;

const KINDS: readonly Kind[] = ['products', 'categories', 'notices'];

export const NOTHING: Changes = { products: [], categories: [], notices: [], everything: false };
export const EVERYTHING: Changes = { ...NOTHING, everything: true };

const MAX_IDS = 1000;

/** The kind of object that a change of a table names, and by which of its ids. */
const NAMED: Readonly<Record<string, readonly [kind: Kind, ids: 'ids' | 'groupIds']>> = {
  product: ['products', 'ids'],
  product_variant: ['products', 'groupIds'],
  category: ['categories', 'ids'],
  notice: ['notices', 'ids'],
};

/** Gathers changes. */
export class ChangedIds {
  readonly #ids = { products: new Set<number>(), categories: new Set<number>(), notices: new Set<number>() };
  #isEverything = false;

  addChange({ table, rows }: Change): this {
    const [kind, ids] = NAMED[table] ?? [];
    if (kind && ids && rows) this.#add(kind, rows[ids]);
    else this.#isEverything = true;
    return this;
  }

  add(changes: Changes): this {
    for (const kind of KINDS) this.#add(kind, changes[kind]);
    this.#isEverything ||= changes.everything;
    return this;
  }

  /** In rising order. {@link EVERYTHING} where there are too many. */
  toChanges(): Changes {
    const { products, categories, notices } = this.#ids;
    const count = products.size + categories.size + notices.size;
    if (this.#isEverything || count > MAX_IDS) return EVERYTHING;
    if (count === 0) return NOTHING;
    return { products: sorted(products), categories: sorted(categories), notices: sorted(notices), everything: false };
  }

  #add(kind: Kind, ids: readonly number[]): void {
    for (const id of ids) this.#ids[kind].add(id);
    // No more of them are kept than can be named.
    this.#isEverything ||= this.#ids[kind].size > MAX_IDS;
    if (this.#isEverything) this.#ids[kind].clear();
  }
}

const sorted = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((one, other) => one - other);

/** @returns one of the two where the other adds nothing: listeners that hear of the same changes get the same object */
export const union = (one: Changes, other: Changes): Changes => {
  if (one === NOTHING || other === EVERYTHING) return other;
  if (other === NOTHING || one === EVERYTHING) return one;
  return new ChangedIds().add(one).add(other).toChanges();
};
