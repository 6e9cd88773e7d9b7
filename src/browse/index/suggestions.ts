import type { SearchTerm } from '../browse-engine.ts';
import { nearestWord } from '../correction.ts';
import { LIVE, SETTLED } from './columns.ts';
import { candidatesByName, scoresOf } from './matching.ts';
import { CHUNK, PageSelection } from './page-selection.ts';
import { foldText, IN_BRAND_OR_TAG, type ProductIndex } from './product-index.ts';
import type { CategoryRow } from './product-reader.ts';

/** What begins with the terms. Names of products are read from the database by the caller, as the index has none. */
export interface SuggestedIds {
  /** Best-selling first. */
  readonly products: readonly { readonly id: number; readonly sales: number; readonly publishedAt: number }[];
  /** Whether there are more products. */
  readonly hasMore: boolean;
  readonly categories: readonly { readonly id: number; readonly text: string; readonly sales: number }[];
  readonly brands: readonly SuggestedText[];
  readonly tags: readonly SuggestedText[];
}

export interface SuggestedText {
  readonly text: string;
  readonly sales: number;
}

/** @param maxProducts the most products; there are few of everything else */
export const suggest = (
  index: ProductIndex,
  categories: readonly CategoryRow[],
  { terms, now, maxProducts }: { terms: readonly SearchTerm[]; now: Date; maxProducts: number },
): SuggestedIds => {
  const { columns } = index;
  const isVisible = visibleAt(index, now);
  // One term is what most people have typed: then each candidate has it.
  const scores = terms.length > 1 ? scoresOf(index, terms, 'names') : undefined;
  const candidates = candidatesByName(index, terms);
  const page = { from: 'start', size: maxProducts } as const;
  const selection = new PageSelection(columns, { order: 'BEST_SELLING', page }, undefined);
  const rows = new Int32Array(CHUNK);
  let length = 0;
  for (let each = 0; each < candidates.length; each += 1) {
    const row = candidates.rows[each] as number;
    if (scores?.[row] === 0 || !isVisible(row)) continue;
    rows[length++] = row;
    if (length === CHUNK) {
      selection.offer(rows, length);
      length = 0;
    }
  }
  selection.offer(rows, length);
  const found = selection.finish();

  /** The sales of the best-selling visible product of a list; undefined where there is none. */
  const bestOf = (postings: ProductIndex['ofTag'], code: number): number | undefined => {
    let best: number | undefined;
    postings.forEach(code, (row) => {
      const sales = columns.sales[row] as number;
      if (sales > (best ?? -1) && isVisible(row)) best = sales;
    });
    return best;
  };
  const textsOf = (
    { values, folded, maxSales }: ProductIndex['tags'],
    postings: ProductIndex['ofTag'],
  ): SuggestedText[] => {
    const codes: number[] = [];
    for (let code = 0; code < values.length; code += 1) if (hasTerms(folded[code] as string, terms)) codes.push(code);
    codes.sort((a, b) => (maxSales[b] as number) - (maxSales[a] as number));
    const found: SuggestedText[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (const code of codes) {
      // Of the others none has sold so much.
      if ((maxSales[code] as number) < least) break;
      const sales = bestOf(postings, code);
      if (sales === undefined) continue;
      found.push({ text: values[code] as string, sales });
      if (found.length >= maxProducts)
        least = found.map((each) => each.sales).sort((x, y) => y - x)[maxProducts - 1] as number;
    }
    return found;
  };
  const salesOf = (id: number): number | undefined => {
    const code = index.categories.find(id);
    return code === undefined ? undefined : bestOf(index.ofCategory, code);
  };
  return {
    products: found.rows.map((row) => ({
      id: columns.id[row] as number,
      sales: columns.sales[row] as number,
      publishedAt: columns.publishedAt[row] as number,
    })),
    hasMore: found.hasNextPage,
    categories: categories.flatMap(({ id, name }) => {
      if (!hasTerms(foldText(name), terms)) return [];
      const sales = subtreeOf(id, categories).flatMap((each) => salesOf(each) ?? []);
      return sales.length === 0 ? [] : [{ id, text: name, sales: Math.max(...sales) }];
    }),
    brands: textsOf(index.brands, index.ofBrand),
    tags: textsOf(index.tags, index.ofTag),
  };
};

const visibleAt = ({ columns }: ProductIndex, now: Date): ((row: number) => boolean) => {
  const { state, publishedAt } = columns;
  const nowUs = now.getTime() * 1000;
  return (row) => {
    const bits = state[row] as number;
    return (bits & SETTLED) !== 0 || ((bits & LIVE) !== 0 && (publishedAt[row] as number) <= nowUs);
  };
};

/** @param folded as `foldText` makes it */
const hasTerms = (folded: string, terms: readonly SearchTerm[]): boolean =>
  terms.every(({ text, isPrefix }) => folded.includes(isPrefix ? ` ${text}` : ` ${text} `));

const subtreeOf = (root: number, categories: readonly CategoryRow[]): number[] => {
  const found = new Set([root]);
  // Each is visited once, so that a circle of parents ends.
  for (const id of found) for (const each of categories) if (each.parentId === id) found.add(each.id);
  return [...found];
};

/** As {@link BrowseEngine.correct} says. */
export const correct = (
  index: ProductIndex,
  { terms, now }: { terms: readonly SearchTerm[]; now: Date },
): SearchTerm[] | undefined => {
  const isVisible = visibleAt(index, now);
  const { dictionary, inNames, inTexts } = index;
  /** Visible products that have the word in their name, brand or tags. */
  const countOf = (word: number): number => {
    const rows = new Set<number>();
    inNames.forEach(word, (row) => {
      if (isVisible(row)) rows.add(row);
    });
    inTexts.forEach(word, (row, note) => {
      if (note === IN_BRAND_OR_TAG && isVisible(row)) rows.add(row);
    });
    return rows.size;
  };
  const isFound = (term: SearchTerm): boolean =>
    scoresOf(index, [term], 'all').some((score, row) => score > 0 && isVisible(row));
  const candidates = function* (text: string) {
    for (const word of dictionary.near(text)) {
      const count = countOf(word);
      if (count > 0) yield { text: dictionary.words[word] as string, count };
    }
  };
  const corrected = [...terms];
  let isChanged = false;
  for (const [place, term] of terms.entries()) {
    if (isFound(term)) continue;
    const text = nearestWord(term.text, candidates(term.text));
    if (text === undefined) return undefined;
    corrected[place] = { ...term, text };
    isChanged = true;
  }
  return isChanged ? corrected : undefined;
};
