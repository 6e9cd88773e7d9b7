import { FIELD_WEIGHTS, type SearchFilter, type SearchTerm } from '../browse-engine.ts';
import { IN_STOCK, ON_SALE } from './columns.ts';
import { centsOf } from './prices.ts';
import type { ProductIndex } from './product-index.ts';

/** What a word in the name is worth, and by the note of a posting what it is worth elsewhere: brand and tags, subtitle, description. */
const NAME_SCORE = [FIELD_WEIGHTS.name];
const TEXT_SCORES = [0, FIELD_WEIGHTS.brand, FIELD_WEIGHTS.subtitle, FIELD_WEIGHTS.description];

/**
 * The scores of a search by row: the sum over its terms of what the best field is worth that has the term. 0 where one of them is in no field.
 * @param fields names alone: the beginnings of what somebody types
 */
export const scoresOf = (
  { columns, dictionary, inNames, inTexts }: ProductIndex,
  terms: readonly SearchTerm[],
  fields: 'all' | 'names',
): Uint8Array => {
  const { count } = columns;
  let scores: Uint8Array | undefined;
  for (const { text, isPrefix } of terms) {
    const best = new Uint8Array(count);
    const exact = dictionary.find(text);
    for (const word of isPrefix ? dictionary.beginningWith(text) : exact === undefined ? [] : [exact]) {
      if (fields === 'all') inTexts.raise(word, TEXT_SCORES, best);
      inNames.raise(word, NAME_SCORE, best);
    }
    if (!scores) {
      scores = best;
      continue;
    }
    for (let row = 0; row < count; row += 1) {
      const score = best[row] as number;
      if (score === 0) scores[row] = 0;
      else if (scores[row] !== 0) scores[row] = (scores[row] as number) + score;
    }
  }
  return scores ?? new Uint8Array(count);
};

/** Rows of an index that are looked at, each once. */
export interface Candidates {
  readonly rows: Int32Array;
  readonly length: number;
}

/** From this share of all rows on it is quicker to look at them in their order. */
const MAX_CANDIDATES_SHARE = 0.25;

/**
 * The rows of the narrowest part of a filter that has lists of rows: some categories, some brands, or a tag. Undefined where there is no such part, or
 * where it is not narrow.
 */
export const candidatesOf = (
  { columns, categories, brands, tags, ofCategory, ofBrand, ofTag }: ProductIndex,
  { categoryIds, brands: wantedBrands, tags: wantedTags = [] }: SearchFilter,
): Candidates | undefined => {
  // A row has one category and one brand, so that it is in one of their lists.
  const parts = [
    ...(categoryIds ? [{ postings: ofCategory, codes: categoryIds.map((id) => categories.find(id)) }] : []),
    ...(wantedBrands ? [{ postings: ofBrand, codes: wantedBrands.map((brand) => brands.find(brand)) }] : []),
    ...wantedTags.map((tag) => ({ postings: ofTag, codes: [tags.find(tag)] })),
  ].map(({ postings, codes }) => {
    const known = [...new Set(codes)].filter((code) => code !== undefined);
    return { postings, codes: known, length: known.reduce((sum, code) => sum + postings.countOf(code), 0) };
  });
  const [narrowest] = parts.sort((one, other) => one.length - other.length);
  if (!narrowest || narrowest.length > columns.count * MAX_CANDIDATES_SHARE) return undefined;
  const rows = new Int32Array(narrowest.length);
  let length = 0;
  for (const code of narrowest.codes) {
    narrowest.postings.forEach(code, (row) => {
      rows[length++] = row;
    });
  }
  return { rows, length };
};

/** The rows whose name has a word of the first term: no others can have all terms. */
export const candidatesByName = (
  { columns, dictionary, inNames }: ProductIndex,
  [term]: readonly SearchTerm[],
): Candidates => {
  if (!term) return { rows: new Int32Array(0), length: 0 };
  const exact = dictionary.find(term.text);
  const words = term.isPrefix ? [...dictionary.beginningWith(term.text)] : exact === undefined ? [] : [exact];
  const rows = new Int32Array(words.reduce((sum, word) => sum + inNames.countOf(word), 0));
  const seen = new Uint8Array(columns.count);
  let length = 0;
  for (const word of words) {
    inNames.forEach(word, (row) => {
      if (seen[row] !== 0) return;
      seen[row] = 1;
      rows[length++] = row;
    });
  }
  return { rows, length };
};

/** The parts of a filter that have a facet, as bits. */
export const CATEGORY = 1;
export const BRAND = 2;
export const TAGS = 4;
export const PRICE = 8;
export const STOCK = 16;
export const SALE = 32;
export const ALL_PARTS = 63;

/** A filter as what is compared with the columns; undefined parts filter nothing. */
export interface Conditions {
  /** 1 for the codes that are asked for. */
  readonly categories: Uint8Array | undefined;
  readonly brands: Uint8Array | undefined;
  /** By row, how many of the tags it has; and how many there are. */
  readonly tags: Uint8Array | undefined;
  readonly tagCount: number;
  readonly minPrice: number;
  readonly maxPrice: number;
  /** Of the state's bits, which must be as {@link stateWanted} has them. */
  readonly stockMask: number;
  readonly saleMask: number;
  readonly stateWanted: number;
  readonly publishedAfter: number;
}

export const conditionsOf = (
  { columns, categories, brands, tags, ofTag }: ProductIndex,
  {
    categoryIds,
    brands: wantedBrands,
    tags: wantedTags,
    minPrice,
    maxPrice,
    inStock,
    onSale,
    publishedAfter,
  }: SearchFilter,
): Conditions => {
  const flags = <Value>(values: readonly Value[], find: (value: Value) => number | undefined, length: number) => {
    const wanted = new Uint8Array(length);
    for (const value of values) {
      const code = find(value);
      if (code !== undefined) wanted[code] = 1;
    }
    return wanted;
  };
  let tagRows: Uint8Array | undefined;
  const distinctTags = [...new Set(wantedTags)];
  if (distinctTags.length > 0) {
    const rows = new Uint8Array(columns.count);
    for (const [index, tag] of distinctTags.entries()) {
      const code = tags.find(tag);
      if (code === undefined) continue;
      ofTag.forEach(code, (row) => {
        if (rows[row] === index) rows[row] = index + 1;
      });
    }
    tagRows = rows;
  }
  return {
    categories: categoryIds && flags(categoryIds, (id) => categories.find(id), categories.values.length),
    brands: wantedBrands && flags(wantedBrands, (brand) => brands.find(brand), brands.values.length),
    tags: tagRows,
    tagCount: distinctTags.length,
    minPrice: minPrice === undefined ? Number.NEGATIVE_INFINITY : centsOf(minPrice, 'up'),
    maxPrice: maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down'),
    stockMask: inStock === undefined ? 0 : IN_STOCK,
    saleMask: onSale === undefined ? 0 : ON_SALE,
    stateWanted: (inStock ? IN_STOCK : 0) | (onSale ? ON_SALE : 0),
    publishedAfter: publishedAfter === undefined ? Number.NEGATIVE_INFINITY : publishedAfter.getTime() * 1000,
  };
};
