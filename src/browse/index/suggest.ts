import type { SearchTerm, Suggestion } from '../browse-engine.ts';
import { compareNear, correctionsOf, MAX_NEAR_WORDS, type NearWord } from '../correction.ts';
import { piecesOfTerm } from '../words.ts';
import { FoundRows } from './expression.ts';
import { PageSelection } from './order.ts';
import type { ProductIndex, SuggestedValues } from './product-index.ts';
import { RowSet } from './row-set.ts';
import type { LanguageTexts } from './texts.ts';
import type { Suggested, SuggestedProduct } from './thread.ts';

interface Asked {
  readonly terms: readonly SearchTerm[];
  readonly now: Date;
  /** The most products that are wanted. Of each other kind at least as many are given, where there are. */
  readonly maxProducts: number;
}

export const suggest = (index: ProductIndex, asked: Asked, texts = index.texts): Suggested => {
  const { terms, now } = asked;
  const { suggested } = index;
  const sales = salesByTrait(index, suggested.categories, now);
  const parts = terms.map(beginningOf);
  const brands = index.foldedBrands.placesWith(parts, index.brands.values);
  const tags = texts.tags.placesWith(parts, index.tags.values, texts.labelOf);
  return {
    ...(bestNamesOf(index, texts, asked) ?? productsOf(index, texts, asked)),
    others: [
      ...texts.categories.all.flatMap(({ id, name, folded, subtree }): Suggestion[] => {
        if (!hasTerms(folded, terms)) return [];
        const most = Math.max(-1, ...index.categories.traitsWith({ name: '', values: subtree }).map(sales.of));
        return most < 0 ? [] : [{ kind: 'CATEGORY', text: name, sales: most, id }];
      }),
      ...bestTexts('BRAND', index.brands.values, brands, salesByTrait(index, suggested.brands, now), asked),
      ...bestTexts('TAG', index.tags.values, tags, salesByTrait(index, suggested.tags, now), asked).map((tag) => ({
        ...tag,
        text: texts.labelOf(tag.text),
      })),
    ],
  };
};

/** From the names of the best sellers; undefined where others may come before the last one. */
const bestNamesOf = (
  { columns }: ProductIndex,
  { words, bestNames }: LanguageTexts,
  { terms, now, maxProducts }: Asked,
): Pick<Suggested, 'products' | 'hasMore'> | undefined => {
  // Where so many are not to be expected among the best sellers, they are not looked through in vain.
  const expected = (words.countAtMost(terms, 'names') / columns.live) * bestNames.size;
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
  texts: LanguageTexts,
  { terms, now, maxProducts }: Asked,
): Pick<Suggested, 'products' | 'hasMore'> => {
  const { columns } = index;
  const matches = RowSet.ofRows(index.match(texts, terms, 'names').rows, columns.count);
  const page = { from: 'start', size: maxProducts } as const;
  const selection = new PageSelection(columns, texts.names.rank, { order: 'BEST_SELLING', page });
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

/** Some of the values of a dimension, those that have sold most. @param traits their numbers */
const bestTexts = (
  kind: 'BRAND' | 'TAG',
  values: readonly string[],
  traits: number[],
  { atMost, of: salesOf }: SalesOfTrait,
  { maxProducts }: Asked,
): Suggestion[] => {
  traits.sort((a, b) => atMost(b) - atMost(a));
  const found: Suggestion[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const trait of traits) {
    // None of the rest has sold as much.
    if (atMost(trait) < least) break;
    const sales = salesOf(trait);
    if (sales < 0) continue;
    found.push({ kind, id: 0, text: values[trait] as string, sales });
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

/** As {@link BrowseEngine.correct} says. */
export const correct = (
  index: ProductIndex,
  { terms, now }: { terms: readonly SearchTerm[]; now: Date },
  texts = index.texts,
): readonly SearchTerm[] | undefined => {
  const isVisible = index.columns.visibleAt(now);
  const isFound = (some: readonly SearchTerm[]): boolean => {
    return index.match(texts, some, 'all').rows.some(isVisible);
  };
  if (isFound(terms)) return undefined;
  const doubtful = terms.map((term) => ({
    term,
    isFound: isFound([term]),
    near: nearWordsOf(index, texts, term.text, isVisible),
  }));
  return correctionsOf(doubtful).find(isFound);
};

/**
 * As `nearestWords` sorts them. To count the visible products of a word takes a look at each, so that this is done only of words that may be among
 * the first.
 */
const nearWordsOf = (
  index: ProductIndex,
  texts: LanguageTexts,
  text: string,
  isVisible: (row: number) => boolean,
): NearWord[] => {
  const { dictionary } = texts.words;
  const termOf = (word: number): SearchTerm => ({ text: dictionary.values[word] as string, isPrefix: false });
  const near: NearWord[] = [];
  const byChanges = Map.groupBy(dictionary.near(text), ({ changes }) => changes);
  for (const [changes, words] of [...byChanges].sort(([one], [other]) => one - other)) {
    if (near.length >= MAX_NEAR_WORDS) break;
    const equallyNear: NearWord[] = [];
    const counted = words.map(({ word }) => ({ word, atMost: texts.words.countAtMost([termOf(word)], 'all') }));
    for (const { word, atMost } of counted.sort((a, b) => b.atMost - a.atMost)) {
      // None of the rest is in as many products.
      if (atMost < (equallyNear[MAX_NEAR_WORDS - 1]?.count ?? 1)) break;
      let count = 0;
      for (const row of index.match(texts, [termOf(word)], 'all').rows) if (isVisible(row)) count += 1;
      if (count > 0) equallyNear.push({ text: dictionary.values[word] as string, count, changes });
      equallyNear.sort(compareNear);
    }
    near.push(...equallyNear);
  }
  return near.slice(0, MAX_NEAR_WORDS);
};
