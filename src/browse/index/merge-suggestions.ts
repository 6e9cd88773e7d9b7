import type { Suggestion } from '../browse-engine.ts';
import { foldLateLetters } from '../late-letters.ts';
import { compareCodePoints } from '../order.ts';
import type { SuggestedIds } from './suggestions.ts';

const KINDS: readonly Suggestion['kind'][] = ['CATEGORY', 'BRAND', 'TAG', 'PRODUCT'];

type Ranked = Suggestion & { readonly publishedAt: number; readonly id: number };

/**
 * The first suggestions of all kinds, each text once.
 * @param names of the products that have none
 * @returns undefined where products that are not among those might come before the last
 */
export const mergeSuggestions = (
  { products, hasMore, categories, brands, tags }: SuggestedIds,
  names: ReadonlyMap<number, string>,
  limit: number,
): Suggestion[] | undefined => {
  const none = { publishedAt: 0, id: 0 };
  const named = products.flatMap(({ id, sales, publishedAt, name }) => {
    const text = name ?? names.get(id);
    return text === undefined ? [] : [{ kind: 'PRODUCT' as const, text, sales, productId: id, publishedAt, id }];
  });
  const all: Ranked[] = [
    ...categories.map(({ id, text, sales }) => ({
      kind: 'CATEGORY' as const,
      text,
      sales,
      categoryId: id,
      publishedAt: 0,
      id,
    })),
    ...brands.map(({ text, sales }) => ({ kind: 'BRAND' as const, text, sales, ...none })),
    ...tags.map(({ text, sales }) => ({ kind: 'TAG' as const, text, sales, ...none })),
    ...named,
  ];
  const last = named.at(-1)?.id;
  const seen = new Set<string>();
  const first: Suggestion[] = [];
  for (const { publishedAt: _, id, ...suggestion } of all.sort(compare)) {
    if (first.length === limit) break;
    const folded = foldLateLetters(suggestion.text).toLowerCase();
    if (!seen.has(folded)) first.push(suggestion);
    seen.add(folded);
    if (hasMore && suggestion.kind === 'PRODUCT' && id === last && first.length < limit) return undefined;
  }
  return hasMore && first.length < limit ? undefined : first;
};

const compare = (a: Ranked, b: Ranked): number =>
  b.sales - a.sales ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  b.publishedAt - a.publishedAt ||
  (a.kind === 'PRODUCT' ? b.id - a.id : compareCodePoints(a.text, b.text)) ||
  b.id - a.id;
