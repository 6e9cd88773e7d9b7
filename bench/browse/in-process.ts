import { performance } from 'node:perf_hooks';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { type ProductRow, Slice } from '../../src/browse/index/rows.ts';
import { search } from '../../src/browse/index/search.ts';
import { count } from '../report/format.ts';
import { markdownTable } from '../report/table.ts';
import { BRANDS, CATEGORIES, COLOURS, MATERIALS, SIZES, TAGS, WORDS, wordOf } from './database.ts';
import { KINDS, random, skewed } from './questions.ts';

// The index alone, with products that no database has: how it grows with the catalogue. Of more than three million products a database would take
// hours to make.

const FACETS = ['categories', 'brands', 'tags', 'price', 'inStock', 'onSale', 'attributes', 'options'] as const;
/** Those that the index answers without the database. */
const ASKED = KINDS.slice(0, 5);
const QUESTIONS = 60;
const ROUNDS = 3;
const DAY_US = 86_400_000_000;

/** @returns a table in Markdown: filling, memory, and how long questions take, without HTTP and GraphQL */
export const measureInProcess = (products: number): string => {
  const { index, fillSeconds } = fill(products);
  const rows = ASKED.map(({ title, next }) => {
    const calls = Array.from({ length: QUESTIONS }, () => next());
    const tookMs = calls.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [at, { body }] of calls.entries()) {
        const startedMs = performance.now();
        ask(index, JSON.parse(String(body)));
        tookMs[at] = Math.min(tookMs[at] as number, performance.now() - startedMs);
      }
    tookMs.sort((one, other) => one - other);
    return [title, ...[0.5, 0.95].map((share) => count(tookMs[Math.floor(QUESTIONS * share)], 1))];
  });
  return [
    `${count(products)} products: filled in ${count(fillSeconds)} s, ${count(index.bytes / 1e6)} MB.`,
    markdownTable(['asked for', 'p50, ms', 'p95, ms'], rows),
  ].join('\n\n');
};

const fill = (products: number): { index: ProductIndex; fillSeconds: number } => {
  const index = new ProductIndex([]);
  let fillMs = 0;
  for (let id = 1; id <= products; id += 1) {
    const product = someProduct(id);
    const startedMs = performance.now();
    index.put(product);
    fillMs += performance.now() - startedMs;
  }
  for (let row = 0; row < products; row += 1) index.texts.names.rank.set(row, row);
  const startedMs = performance.now();
  index.arrange();
  return { index, fillSeconds: (fillMs + performance.now() - startedMs) / 1000 };
};

interface Asked {
  readonly query: string;
  readonly variables: Readonly<Record<string, never>>;
}

const ask = (index: ProductIndex, { query, variables }: Asked): void => {
  const { search: text = '', filter = {}, orderBy, page = 1 }: Record<string, unknown> = variables;
  const terms = String(text).split(' ').filter(Boolean);
  search(index, {
    terms: terms.map((each) => ({ text: each, isPrefix: each.length < 2 })),
    filter: filter as object,
    order: (orderBy as 'NEWEST' | undefined) ?? (terms.length > 0 ? 'RELEVANCE' : 'BEST_SELLING'),
    page: { from: 'start', size: 20, offset: (Number(page) - 1) * 20 },
    isCounted: true,
    facets: new Set(query.includes('facets') ? FACETS : []),
    now: new Date(),
  });
};

const slices = new Map<string, Slice>();
/** Texts that many products share are made once. */
const shared = (text: string): Slice => {
  const known = slices.get(text) ?? Slice.of(text);
  slices.set(text, known);
  return known;
};

/** As the products of the database are, by the same chances. */
const someProduct = (id: number): ProductRow => {
  const name = someWords(4);
  const brand = `Brand ${skewed(BRANDS)}`;
  const tags = [...new Set([1, 2, 3].map(() => `tag ${skewed(TAGS)}`))];
  const byField = [name, [brand, ...tags].flatMap((text) => text.split(' ')), someWords(6), someWords(40)];
  const stock = random(10);
  const variants = [1, 2, 3].map((n) => {
    const options = `["Size","Colour"],["${SIZES[(id + n) % SIZES.length]}","Colour ${skewed(COLOURS)}"]`;
    return shared(`${options}${stock + n > 3 ? '+' : '-'}`);
  });
  const attributes = {
    Material: `Material ${skewed(MATERIALS)}`,
    Weight: random(1000) / 10,
    Series: `Series ${skewed(2000)}`,
    Country: `Country ${skewed(50)}`,
    Washable: random(2) === 0,
  };
  return {
    id,
    name: Slice.of(name.join(' ')),
    words: vectorOf(byField),
    brand: shared(brand),
    tags: tags.map(shared),
    category: shared(String(skewed(CATEGORIES))),
    cents: 100 + Math.floor(Math.exp(Math.random() * 12)),
    isInStock: stock > 0,
    isReduced: random(5) === 0,
    attributes: Object.entries(attributes).map(([key, value]) => shared(`"${key}":${JSON.stringify(value)}`)),
    variants,
    sales: Math.floor(1 / (Math.random() + 0.00001)),
    publishedAt: Date.UTC(2026, 0, 1) * 1000 - random(1000) * DAY_US,
  };
};

const words = Array.from({ length: WORDS }, (_, place) => wordOf(1 + place));
const someWords = (length: number): string[] =>
  Array.from({ length }, () => words[Math.floor(Math.exp(Math.random() * Math.log(WORDS)))] as string);

const vector = Buffer.alloc(65_536);

/** The binary format of a `tsvector`, each word with one place, in the best field that has it. It is written over by the next one. */
const vectorOf = (byField: readonly (readonly string[])[]): Slice => {
  const fields = new Map<string, number>();
  for (const [field, words] of byField.entries())
    for (const word of words) if (!fields.has(word)) fields.set(word, field);
  let at = vector.writeInt32BE(fields.size);
  for (const [word, field] of fields) {
    at += vector.write(`${word}\0`, at);
    at = vector.writeUInt16BE(1, at);
    at = vector.writeUInt16BE(((byField.length - 1 - field) << 14) | 1, at);
  }
  return new Slice(vector, 0, at);
};
