import type { SearchTerm, Suggestion } from '../browse-engine.ts';
import { compareNear, correctionsOf, MAX_NEAR_WORDS, type NearWord } from '../correction.ts';
import { foldText, piecesOfTerm } from '../words.ts';
import { FoundRows } from './expression.ts';
import type { Suggested, SuggestedProduct } from './messages.ts';
import { PageSelection } from './order.ts';
import type { ProductIndex, SuggestedValues } from './product-index.ts';
import type { CategoryRow } from './read.ts';
import { RowSet } from './row-set.ts';

interface Asked {
  readonly terms: readonly SearchTerm[];
  readonly now: Date;
  /** The most products that are wanted. Of each other kind at least as many are given, where there are. */
  readonly maxProducts: number;
}

export const suggest = (index: ProductIndex, categories: SuggestedCategories, asked: Asked): Suggested => {
  const { terms, now } = asked;
  const { suggested } = index;
  index.begin();
  const sales = salesByTrait(index, suggested.categories, now);
  const textsOf = (kind: 'BRAND' | 'TAG', values: SuggestedValues): Suggestion[] =>
    bestTexts(values, salesByTrait(index, values, now), asked).map((each) => ({ kind, id: 0, ...each }));
  return {
    ...(bestNamesOf(index, asked) ?? productsOf(index, asked)),
    others: [
      ...categories.all.flatMap(({ id, name, folded, subtree }): Suggestion[] => {
        if (!hasTerms(folded, terms)) return [];
        const most = Math.max(-1, ...index.categories.traitsWith({ name: '', values: subtree }).map(sales.of));
        return most < 0 ? [] : [{ kind: 'CATEGORY', text: name, sales: most, id }];
      }),
      ...textsOf('BRAND', suggested.brands),
      ...textsOf('TAG', suggested.tags),
    ],
  };
};

/** From the names of the best sellers; undefined where others may come before the last one. */
const bestNamesOf = (
  index: ProductIndex,
  { terms, now, maxProducts }: Asked,
): Pick<Suggested, 'products' | 'hasMore'> | undefined => {
  const { bestNames, columns } = index;
  // Where so many are not to be expected among the best sellers, they are not looked through in vain.
  const expected = (index.words.countAtMost(terms, 'names') / columns.live) * bestNames.size;
  if (!bestNames.isWhole && expected < maxProducts) return undefined;
  const isVisible = columns.visibleAt(now);
  const products: SuggestedProduct[] = [];
  for (const { id, name, folded, sales, publishedAt } of bestNames.bestFirst()) {
    if (!hasTerms(folded, terms) || !isVisible(columns.rowOf(id))) continue;
    if (products.length === maxProducts) return { products, hasMore: true };
    products.push({ id, sales, publishedAt, name });
  }
  return bestNames.isWhole ? { products, hasMore: false } : undefined;
};

const productsOf = (
  index: ProductIndex,
  { terms, now, maxProducts }: Asked,
): Pick<Suggested, 'products' | 'hasMore'> => {
  const { columns } = index;
  const matches = RowSet.ofRows(index.scratch, index.match(terms, 'names').rows);
  const page = { from: 'start', size: maxProducts } as const;
  const selection = new PageSelection(columns, { order: 'BEST_SELLING', page }, undefined);
  selection.offer(new FoundRows(index, {}, now, matches).all());
  const { rows, hasNextPage } = selection.finish();
  return {
    products: rows.map((row) => ({
      id: columns.id.values[row] as number,
      sales: columns.sales.values[row] as number,
      publishedAt: columns.publishedAt.values[row] as number,
    })),
    hasMore: hasNextPage,
  };
};

/** The sales of the best-selling visible product by trait: not above some number, and exactly; -1 where there is none. */
interface SalesOfTrait {
  readonly atMost: (trait: number) => number;
  readonly of: (trait: number) => number;
}

const salesByTrait = (index: ProductIndex, values: SuggestedValues, now: Date): SalesOfTrait => {
  const { columns, unsettled } = index;
  // Rows that are not visible to every question are few.
  const others = new Map<number, number>();
  for (const row of unsettled.values().filter(columns.visibleAt(now)))
    for (const trait of values.of.ofRows.of(row))
      others.set(trait, Math.max(others.get(trait) ?? -1, columns.sales.values[row] as number));
  return {
    atMost: (trait) => Math.max(values.salesAtMost(trait), others.get(trait) ?? -1),
    of: (trait) => Math.max(values.salesOf(trait, index), others.get(trait) ?? -1),
  };
};

const bestTexts = (values: SuggestedValues, { atMost, of: salesOf }: SalesOfTrait, { terms, maxProducts }: Asked) => {
  const traits = values.traitsWith(terms.map(beginningOf));
  traits.sort((a, b) => atMost(b) - atMost(a));
  const found: { readonly text: string; readonly sales: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const trait of traits) {
    // None of the rest has sold as much.
    if (atMost(trait) < least) break;
    const sales = salesOf(trait);
    if (sales < 0) continue;
    found.push({ text: values.of.values[trait] as string, sales });
    if (found.length >= maxProducts)
      least = found.map((each) => each.sales).sort((x, y) => y - x)[maxProducts - 1] as number;
  }
  return found;
};

const beginningOf = (term: SearchTerm): string => {
  const pieces = piecesOfTerm(term);
  return term.isPrefix && pieces.length === 1 ? ` ${term.text}` : ` ${pieces.join(' ')} `;
};

const hasTerms = (folded: string, terms: readonly SearchTerm[]): boolean => {
  for (const term of terms) if (!folded.includes(beginningOf(term))) return false;
  return true;
};

/** A category with those below it. */
interface CategoryNode extends CategoryRow {
  readonly folded: string;
  /** Its id and those of all categories below it, in digits. */
  readonly subtree: readonly string[];
}

/** All categories, for suggestions. */
export class SuggestedCategories {
  readonly all: readonly CategoryNode[];

  constructor(rows: readonly CategoryRow[]) {
    const children = Map.groupBy(rows, ({ parentId }) => parentId);
    this.all = rows.map((row) => {
      const subtree = new Set([row.id]);
      // Each is visited once, so that a circle of parents ends.
      for (const id of subtree) for (const child of children.get(id) ?? []) subtree.add(child.id);
      return { ...row, folded: foldText(row.name), subtree: [...subtree].map(String) };
    });
  }
}

/** As {@link BrowseEngine.correct} says. */
export const correct = (
  index: ProductIndex,
  { terms, now }: { terms: readonly SearchTerm[]; now: Date },
): readonly SearchTerm[] | undefined => {
  const isVisible = index.columns.visibleAt(now);
  const isFound = (some: readonly SearchTerm[]): boolean => {
    index.begin();
    return index.match(some, 'all').rows.some(isVisible);
  };
  if (isFound(terms)) return undefined;
  const doubtful = terms.map((term) => ({
    term,
    isFound: isFound([term]),
    near: nearWordsOf(index, term.text, isVisible),
  }));
  return correctionsOf(doubtful).find(isFound);
};

/**
 * As `nearestWords` sorts them. To count the visible products of a word takes a look at each, so that this is done only of words that may be among
 * the first.
 */
const nearWordsOf = (index: ProductIndex, text: string, isVisible: (row: number) => boolean): NearWord[] => {
  const { dictionary } = index.words;
  const termOf = (word: number): SearchTerm => ({ text: dictionary.values[word] as string, isPrefix: false });
  const near: NearWord[] = [];
  const byChanges = Map.groupBy(dictionary.near(text), ({ changes }) => changes);
  for (const [changes, words] of [...byChanges].sort(([one], [other]) => one - other)) {
    if (near.length >= MAX_NEAR_WORDS) break;
    const equallyNear: NearWord[] = [];
    const counted = words.map(({ word }) => ({ word, atMost: index.words.countAtMost([termOf(word)], 'all') }));
    for (const { word, atMost } of counted.sort((a, b) => b.atMost - a.atMost)) {
      // None of the rest is in as many products.
      if (atMost < (equallyNear[MAX_NEAR_WORDS - 1]?.count ?? 1)) break;
      index.begin();
      let count = 0;
      for (const row of index.match([termOf(word)], 'all').rows) if (isVisible(row)) count += 1;
      if (count > 0) equallyNear.push({ text: dictionary.values[word] as string, count, changes });
      equallyNear.sort(compareNear);
    }
    near.push(...equallyNear);
  }
  return near.slice(0, MAX_NEAR_WORDS);
};
