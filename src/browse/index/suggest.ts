import type { SearchTerm, Suggestion } from '../browse-engine.ts';
import { correctionsOf, nearestWords } from '../correction.ts';
import { compareCodePoints } from '../order.ts';
import { fold, piecesOfTerm } from '../words.ts';
import { FoundRows } from './expression.ts';
import { PageSelection } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { RowSet } from './row-set.ts';
import type { BestSellers, LanguageTexts } from './texts.ts';

interface Asked {
  readonly terms: readonly SearchTerm[];
  readonly now: Date;
  /** The most products that are wanted. Of each other kind at least as many are given, where there are. */
  readonly maxProducts: number;
}

interface SuggestedProduct {
  readonly id: number;
  readonly sales: number;
  readonly publishedAt: number;
  /** Undefined where the index does not have it. */
  readonly name?: string;
}

interface Suggested {
  /** Best-selling first. */
  readonly products: readonly SuggestedProduct[];
  readonly hasMore: boolean;
  /** Categories, brands and tags, in no order. */
  readonly others: readonly Suggestion[];
}

export const suggest = (index: ProductIndex, asked: Asked, texts = index.texts): Suggested => {
  const { terms, now } = asked;
  const { categories, brands, tags } = index.bestSellers;
  const isVisible = index.columns.visibleAt(now);
  const parts = terms.map(beginningOf);
  const brandTraits = index.foldedBrands.placesWith(parts, index.brands.traits);
  const tagTraits = texts.tags.placesWith(parts, index.tags.traits, texts.labelOf);
  return {
    ...(bestNamesOf(index, texts, asked, parts) ?? productsOf(index, texts, asked)),
    others: [
      ...texts.categories.flatMap(({ id, name, folded, subtree }): Suggestion[] => {
        if (!hasAll(folded, parts)) return [];
        const traits = index.categories.traitsWith({ name: '', values: subtree });
        const most = Math.max(-1, ...traits.map((trait) => categories.salesOf(trait, isVisible)));
        return most < 0 ? [] : [{ kind: 'CATEGORY', text: name, sales: most, id }];
      }),
      ...bestTexts('BRAND', brands, brandTraits, asked, isVisible),
      ...bestTexts('TAG', tags, tagTraits, asked, isVisible).map((tag) => ({
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
  parts: readonly string[],
): Pick<Suggested, 'products' | 'hasMore'> | undefined => {
  // Where so many are not to be expected among the best sellers, they are not looked through in vain.
  const expected = (words.countAtMost(terms, 'names') / columns.live) * bestNames.size;
  if (!bestNames.isWhole && expected < maxProducts) return undefined;
  const isVisible = columns.visibleAt(now);
  const products: SuggestedProduct[] = [];
  for (const { id, name, folded, sales, publishedAt } of bestNames.bestFirst()) {
    if (!hasAll(folded, parts) || !isVisible(columns.rowOf(id))) continue;
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
  const matches = RowSet.ofRows(texts.words.match(terms, 'names', columns.count).rows, columns.count);
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

/** Some of the values of a dimension, those that have sold most. @param traits theirs */
const bestTexts = (
  kind: 'BRAND' | 'TAG',
  best: BestSellers,
  traits: number[],
  { maxProducts }: Asked,
  isVisible: (row: number) => boolean,
): Suggestion[] => {
  const atMost = (trait: number): number => best.salesAtMost(trait);
  const found: Suggestion[] = [];
  let least = 0;
  for (const trait of traits.sort((a, b) => atMost(b) - atMost(a))) {
    // None of the rest has sold as much.
    if (atMost(trait) < least) break;
    const sales = best.salesOf(trait, isVisible);
    if (sales < 0) continue;
    found.push({ kind, id: 0, text: best.of.traits[trait] as string, sales });
    if (found.length >= maxProducts)
      least = found.map((each) => each.sales).sort((x, y) => y - x)[maxProducts - 1] as number;
  }
  return found;
};

const beginningOf = (term: SearchTerm): string => {
  const pieces = piecesOfTerm(term);
  return term.isPrefix && pieces.length === 1 ? ` ${term.text}` : ` ${pieces.join(' ')} `;
};

const hasAll = (folded: string, parts: readonly string[]): boolean => parts.every((part) => folded.includes(part));

const KINDS: readonly Suggestion['kind'][] = ['CATEGORY', 'BRAND', 'TAG', 'PRODUCT'];

/**
 * The first suggestions of all kinds, each text once.
 * @param names of the products that have none
 * @returns undefined where products that are not among those might come before the last
 */
export const mergeSuggestions = (
  { products, hasMore, others }: Suggested,
  names: ReadonlyMap<number, string>,
  limit: number,
): Suggestion[] | undefined => {
  const named = products.flatMap(({ id, sales, publishedAt, name }) => {
    const text = name ?? names.get(id);
    return text === undefined ? [] : [{ kind: 'PRODUCT' as const, text, sales, id, publishedAt }];
  });
  const last = named.at(-1);
  const seen = new Set<string>();
  const first: Suggestion[] = [];
  for (const suggestion of [...others, ...named].sort(compare)) {
    if (first.length === limit) break;
    const folded = fold(suggestion.text);
    if (!seen.has(folded)) first.push(suggestion);
    seen.add(folded);
    if (hasMore && suggestion === last && first.length < limit) return undefined;
  }
  if (hasMore && first.length < limit) return undefined;
  return first.map(({ publishedAt: _, ...suggestion }: Ranked) => suggestion);
};

type Ranked = Suggestion & { readonly publishedAt?: number };

const compare = (a: Ranked, b: Ranked): number =>
  b.sales - a.sales ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  (b.publishedAt ?? 0) - (a.publishedAt ?? 0) ||
  (a.kind === 'PRODUCT' ? 0 : compareCodePoints(a.text, b.text)) ||
  b.id - a.id;

/** As {@link BrowseEngine.correct} says. */
export const correct = (
  index: ProductIndex,
  { terms, now }: { terms: readonly SearchTerm[]; now: Date },
  texts = index.texts,
): readonly SearchTerm[] | undefined => {
  const isVisible = index.columns.visibleAt(now);
  const isFound = (some: readonly SearchTerm[]): boolean => {
    return texts.words.match(some, 'all', index.columns.count).rows.some(isVisible);
  };
  if (isFound(terms)) return undefined;
  const countOf = (word: string): number => texts.words.countOf(word, isVisible);
  const doubtful = terms.map((term) => ({
    term,
    isFound: isFound([term]),
    near: nearestWords(term.text, texts.words.dictionary.values, countOf),
  }));
  return correctionsOf(doubtful).find(isFound);
};
