import type { SearchTerm, Suggestion } from '../browse-engine.ts';
import { compareNear, correctionsOf, MAX_NEAR_WORDS, type NearWord } from '../correction.ts';
import { foldText, piecesOfTerm } from '../words.ts';
import type { FacetValues } from './facet-values.ts';
import { PageSelection } from './page-selection.ts';
import type { ProductIndex } from './product-index.ts';
import type { CategoryRow } from './product-reader.ts';
import { RowFilter } from './row-filter.ts';
import { matchesOf, postingsOf } from './term-matches.ts';

export interface Suggested {
  /** Best-selling first. A name that the index does not have is read from the database by the caller. */
  readonly products: readonly SuggestedProduct[];
  readonly hasMore: boolean;
  /** Categories, brands and tags, in no order. */
  readonly others: readonly Suggestion[];
}

interface SuggestedProduct {
  readonly id: number;
  readonly sales: number;
  readonly publishedAt: number;
  readonly name?: string;
}

interface Asked {
  readonly terms: readonly SearchTerm[];
  readonly now: Date;
  /** The most products that are wanted. Of each other kind at least as many are given, where there are. */
  readonly maxProducts: number;
}

export const suggest = (index: ProductIndex, categories: CategoryTree, asked: Asked): Suggested => {
  const { terms, now } = asked;
  const ofCategory = salesByCode(index, index.categories, now);
  const textsOf = (kind: 'BRAND' | 'TAG', values: FacetValues<string>): Suggestion[] =>
    bestTexts(values, salesByCode(index, values, now), asked).map((each) => ({ kind, id: 0, ...each }));
  return {
    ...(bestNamesOf(index, asked) ?? productsOf(index, asked)),
    others: [
      ...categories.nodes.flatMap(({ id, name, folded, subtree }): Suggestion[] => {
        if (!hasTerms(folded, terms)) return [];
        const sales = Math.max(-1, ...index.categories.find(subtree).map(ofCategory.of));
        return sales < 0 ? [] : [{ kind: 'CATEGORY', text: name, sales, id }];
      }),
      ...textsOf('BRAND', index.brands),
      ...textsOf('TAG', index.tags),
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
  const expected = (postingsOf(index, terms, 'names') / columns.live) * bestNames.size;
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
  const matches = matchesOf(index, terms, 'names');
  const filter = new RowFilter(index, {}, matches, now);
  const page = { from: 'start', size: maxProducts } as const;
  const selection = new PageSelection(columns, { order: 'BEST_SELLING', page }, undefined);
  selection.offer(filter.rowsOf(undefined));
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

/** The sales of the best-selling visible product by code: not above some number, and exactly; -1 where there is none. */
interface SalesOfCode {
  readonly atMost: (code: number) => number;
  readonly of: (code: number) => number;
}

const salesByCode = (
  { columns, unsettled }: ProductIndex,
  values: FacetValues<number> | FacetValues<string>,
  now: Date,
): SalesOfCode => {
  const isVisible = columns.visibleAt(now);
  // Of rows that are not settled, which are few.
  const others = new Map<number, number>();
  for (const row of unsettled.values().filter(isVisible))
    for (const code of values.codesOf(row))
      others.set(code, Math.max(others.get(code) ?? -1, columns.sales.values[row] as number));
  return {
    atMost: (code) => Math.max(values.salesAtMost(code), others.get(code) ?? -1),
    of: (code) => Math.max(values.salesOf(code, columns), others.get(code) ?? -1),
  };
};

const bestTexts = (of: FacetValues<string>, { atMost, of: salesOf }: SalesOfCode, { terms, maxProducts }: Asked) => {
  const { values, folded } = of;
  if (!terms.every((term) => of.isFolded(beginningOf(term)))) return [];
  const codes = [...values.keys()].filter((code) => hasTerms(folded[code] as string, terms));
  codes.sort((a, b) => atMost(b) - atMost(a));
  const found: { readonly text: string; readonly sales: number }[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const code of codes) {
    // None of the rest has sold as much.
    if (atMost(code) < least) break;
    const sales = salesOf(code);
    if (sales < 0) continue;
    found.push({ text: values[code] as string, sales });
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

interface CategoryNode extends CategoryRow {
  readonly folded: string;
  /** Its id and those of all categories below it. */
  readonly subtree: readonly number[];
}

/** All categories, for suggestions. */
export class CategoryTree {
  readonly nodes: readonly CategoryNode[];

  constructor(rows: readonly CategoryRow[]) {
    const children = Map.groupBy(rows, ({ parentId }) => parentId);
    this.nodes = rows.map((row) => {
      const subtree = new Set([row.id]);
      // Each is visited once, so that a circle of parents ends.
      for (const id of subtree) for (const child of children.get(id) ?? []) subtree.add(child.id);
      return { ...row, folded: foldText(row.name), subtree: [...subtree] };
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
    const { rows, length } = matchesOf(index, some, 'all');
    return rows.subarray(0, length).some(isVisible);
  };
  if (isFound(terms)) return undefined;
  const doubtful = terms.map((term) => ({
    term,
    isFound: isFound([term]),
    near: nearWordsOf(index, term.text, isVisible),
  }));
  return correctionsOf(doubtful).find(isFound);
};

/** As `nearestWords` sorts them. To count the visible products of a word takes a look at each, so that this is done only of words that may be among the first. */
const nearWordsOf = (index: ProductIndex, text: string, isVisible: (row: number) => boolean): NearWord[] => {
  const { dictionary } = index;
  const termOf = (word: number): SearchTerm => ({ text: dictionary.values[word] as string, isPrefix: false });
  const near: NearWord[] = [];
  const byChanges = Map.groupBy(dictionary.near(text), ({ changes }) => changes);
  for (const [changes, words] of [...byChanges].sort(([one], [other]) => one - other)) {
    if (near.length >= MAX_NEAR_WORDS) break;
    const equallyNear: NearWord[] = [];
    const counted = words.map(({ word }) => ({ word, atMost: postingsOf(index, [termOf(word)], 'all') }));
    for (const { word, atMost } of counted.sort((a, b) => b.atMost - a.atMost)) {
      // None of the rest is in as many products.
      if (atMost < (equallyNear[MAX_NEAR_WORDS - 1]?.count ?? 1)) break;
      const { rows, length } = matchesOf(index, [termOf(word)], 'all');
      let count = 0;
      for (const row of rows.subarray(0, length)) if (isVisible(row)) count += 1;
      if (count > 0) equallyNear.push({ text: dictionary.values[word] as string, count, changes });
      equallyNear.sort(compareNear);
    }
    near.push(...equallyNear);
  }
  return near.slice(0, MAX_NEAR_WORDS);
};
