import fc, { type GeneratorValue } from 'fast-check';
import { expect, test } from 'vitest';
import type {
  BrowseEngine,
  BrowseRequest,
  Facet,
  FallBacks,
  Position,
  ProductSearchOrder,
  SearchFilter,
  SearchTerm,
} from '../../src/browse/browse-engine.ts';
import { foldCode, termsOf } from '../../src/browse/words.ts';
import { type BrowseEngines, createBrowseEngines } from '../support/browse-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  addVariants,
  attributesSql,
  CODES,
  deepChanges,
  expectedOf,
  foundOf,
  randomDeepFilter,
  readDeepProducts,
} from '../support/deep-catalogue.ts';

const WORDS = ['Kettle', 'kettles', 'Teapot', 'tea', 'Größe', 'GROSSE', 'lamp', 'lamps', 'Lampe', 'naïve'].concat([
  'Σίσυφος',
  '运动',
  '运动鞋',
  '鞋',
  '动鞋运动鞋子',
  '运动动鞋',
  'カタカナ𠀀𠀁𠀂',
  'ᲥᲝᲗᲐᲜᲘ',
  'ქოთანი',
  'no.',
  '7',
  '12',
  'x',
]);
const BRANDS = ['Tea & Co', 'Lampe', 'lampe', 'Ærø', '运动', 'Kettle', "O'Neill", ''];
const TAGS = ['tea', 'Tea time', 'new', 'été', 'lamp', 'a\\b', '🍵', 'x y'];
/** Of some products more than the index has columns for. */
const FURTHER_TAGS = Array.from({ length: 12 }, (_, n) => `no. ${n}`);
const ORDERS: ProductSearchOrder[] = ['RELEVANCE', 'BEST_SELLING', 'NEWEST', 'PRICE_ASC', 'PRICE_DESC', 'NAME_ASC'];
const FACETS: Facet[] = ['categories', 'brands', 'tags', 'price', 'inStock', 'onSale', 'attributes', 'options'];
/** Besides that of the tables' columns. */
const FURTHER = [['de'], ['pt-BR', 'pt'], ['pt']];
const LANGUAGES: readonly FallBacks[] = [undefined, ...FURTHER];
const CATEGORIES = 12;
const PRODUCTS = 400;

const list = (values: readonly string[]): string =>
  `array[${values.map((value) => `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)}]`;
/** One of some values, as SQL; `n` is another number for each row and each use. */
const one = (values: readonly string[], n: string): string =>
  `(${list(values)})[1 + abs(hashint4(${n})) % ${values.length}]`;

/** Some texts in German, Portuguese and that of Brazil; others are empty, or not there. */
const translationsSql = (n: string, columns: readonly string[]): string => {
  const texts = (language: number): string[] =>
    columns.map((column, place) => {
      const of = `${n} + ${50 + 10 * language + place}`;
      return `'${column}', (array[null, '', ${one(WORDS, of)}, ${one(WORDS, `${of} + 5`)} || ' ' || ${one(WORDS, `${of} + 7`)}])[1 + abs(hashint4(${of})) % 4]`;
    });
  const ofLanguages = ['de', 'pt', 'pt-BR'].map(
    (language, place) => `'${language}', case when (${n}) % 3 <> ${place} then jsonb_build_object(${texts(place)}) end`,
  );
  return `jsonb_strip_nulls(jsonb_build_object(${ofLanguages}))`;
};

const COLUMNS = (n: string): string => `
  1 + abs(hashint4(${n} + 1)) % ${CATEGORIES}, ${one(WORDS, `${n} + 2`)} || ' ' || ${one(WORDS, `${n} + 3`)} || case when ${n} % 3 = 0 then ' ' || ${n} % 50 else '' end,
  case when ${n} % 4 = 0 then ${one(WORDS, `${n} + 4`)} end, ${one(WORDS, `${n} + 5`)} || ' <b>' || ${one(WORDS, `${n} + 6`)} || '</b> &amp; ' || ${one(WORDS, `${n} + 7`)},
  case when ${n} % 5 > 0 then ${one(BRANDS, `${n} + 8`)} end, (array[${[9, 10, 11, 20, 21].map((salt) => one(TAGS, `${n} + ${salt}`))}])[1:${n} % 6]
    || (${list(FURTHER_TAGS)})[1:case when ${n} % 5 = 0 then ${n} % 13 else 0 end],
  (abs(hashint4(${n} + 12)) % 5000) / 100.0, case when ${n} % 3 = 0 then (abs(hashint4(${n} + 13)) % 5000) / 100.0 end, ${n} % 4, abs(hashint4(${n} + 14)) % 20,
  (case when ${n} % 11 = 0 then 'DRAFT' else 'ON_SALE' end)::product_status,
  case when ${n} % 13 = 0 then now() + ${n} % 7 * interval '1 hour' else now() - (${n} % 40) * interval '1 day 0.000001 s' end, ${attributesSql(n)},
  ${translationsSql(n, ['name', 'subtitle', 'description'])}`;
const NAMES =
  'category_id, name, subtitle, description, brand, tags, price, list_price, stock, sales, status, published_at, attributes, translations';

const fill = async ({ sql }: TestDatabase): Promise<void> => {
  await sql(`insert into category (id, parent_id, name, slug, translations)
    select n, case when n > 4 then 1 + n % 4 end, ${one(WORDS, 'n')} || ' ' || n, 'c' || n, ${translationsSql('n', ['name'])} from generate_series(1, ${CATEGORIES}) n`);
  await sql(`insert into term_translation select language, term, ${one([...WORDS, '', ''], 'hashtext(language || term)')}
    from unnest(array['de', 'pt', 'pt-BR']) language, unnest(${list([...TAGS, 'Material', 'Power', 'Size', 'Wool', 'M'])}) term where hashtext(language || term) % 3 <> 0`);
  await sql(
    `insert into product (id, slug, ${NAMES}) select n, 'p' || n, ${COLUMNS('n')} from generate_series(1, ${PRODUCTS}) n`,
  );
  await addVariants({ sql });
};

/** What a back office does, at random. */
const change = async ({ sql }: TestDatabase, g: GeneratorValue): Promise<void> => {
  const n = g(fc.integer, { min: 1, max: 1_000_000 });
  const id = 1 + (n % (PRODUCTS + 50));
  const kinds = [
    `update product set price = price + 0.01, sales = least(sales, 1000) + 3, stock = ${n % 2} where id = ${id}`,
    `update product set (${NAMES}) = (select ${COLUMNS(`${n}`)}) where id = ${id}`,
    `update product set name = ${one(WORDS, `${n}`)} || id where id between ${id} and ${id + 5}`,
    `update product set status = (enum_range(null::product_status))[1 + ${n} % 3] where id between ${id} and ${id + 3}`,
    `update product set published_at = now() + ${(n % 3) - 1} * interval '1 minute' where id = ${id}`,
    // Microseconds that are no numbers in JavaScript; the same sales, so that the time decides.
    `update product set sales = 3, published_at = (array['0001-01-01 00:00:01+00', '0001-01-01 00:00:02+00', '1700-06-01 00:00:00.123457+00',
      '9999-12-31 23:59:59.999999+00']::timestamptz[])[1 + ${n} % 4] where id between ${id} and ${id + 3}`,
    `delete from product where id = ${id}`,
    `update product set sales = 2147483647 - ${n % 2} where id between ${id} and ${id + 1}`,
    // More than the index has columns for.
    `update product set attributes = attributes || (select jsonb_object_agg('Detail ' || n, n % 3) from generate_series(1, ${1 + (n % 11)}) n) where id % 5 = ${n % 5}`,
    // At the edges of 32 bits of cents, and of the column.
    `update product set price = (array[0, 42949672.95, 42949672.96, 999999999999.99])[1 + ${n} % 4] where id = ${id}`,
    // Many that begin with the same four digits.
    `update product set price = 129.90 + id % 10 * 0.01 where id % 4 = ${n % 4}`,
    `insert into product (slug, ${NAMES}) overriding system value select 'x' || ${n}, ${COLUMNS(`${n}`)} on conflict do nothing`,
    `update category set name = ${one(WORDS, `${n}`)}, parent_id = null where id = ${1 + (n % CATEGORIES)}`,
    `update category set translations = ${translationsSql(`${n}`, ['name'])} where id = ${1 + (n % CATEGORIES)}`,
    `update product set translations = ${translationsSql(`${n}`, ['name', 'subtitle', 'description'])} where id between ${id} and ${id + 3}`,
    `update term_translation set text = ${one(WORDS, `${n}`)} where term in (${one(TAGS, `${n} + 1`)}, 'Size', 'Wool')`,
    `delete from term_translation where term = ${one(TAGS, `${n}`)} and language = 'pt'`,
    `insert into term_translation values ('de', ${one(TAGS, `${n}`)}, ${one(WORDS, `${n} + 1`)}) on conflict do nothing`,
    ...deepChanges(id, n),
  ];
  await sql(kinds[n % kinds.length] ?? '');
};

const pickFrom =
  (g: GeneratorValue) =>
  <Value>(values: readonly Value[]): Value =>
    values[g(fc.nat, { max: values.length - 1 })] as Value;

const randomText = (g: GeneratorValue): string => {
  const pick = pickFrom(g);
  const words = Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => {
    const word = pick([
      ...WORDS,
      ...BRANDS,
      ...TAGS,
      'kettel',
      'teepot',
      'zzz',
      '动鞋运',
      '运动鞋子',
      'ナ𠀀𠀁',
      '鞋子运动',
    ]);
    return pick([word, word, [...word].slice(0, pick([1, 2, 3])).join('')]);
  });
  return pick([words.join(' '), words.join(' '), words.join(' '), pick(CODES)]);
};

const randomTerms = (g: GeneratorValue): readonly SearchTerm[] => termsOf(randomText(g));

const nat = (g: GeneratorValue, max: number): number => g(fc.nat, { max });

const randomFilter = (g: GeneratorValue, now: Date): SearchFilter => {
  const pick = pickFrom(g);
  const some = <Value>(values: readonly Value[]): Value[] =>
    Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => pick(values));
  const ids = Array.from({ length: CATEGORIES + 1 }, (_, index) => index + 1);
  return {
    ...(pick([0, 0, 1]) && { categoryIds: some(ids) }),
    ...(pick([0, 0, 0, 1]) && { brands: some([...BRANDS, 'unknown']) }),
    ...(pick([0, 0, 0, 1]) && { tags: some([...TAGS, ...TAGS, 'unknown']) }),
    ...(pick([0, 0, 1]) && { minPrice: pick(['0', '5', '9.995', '25.00', '-1', '42949672.96']) }),
    ...(pick([0, 0, 1]) && { maxPrice: pick(['0', '30', '29.999', '49.99', '1000000000000000']) }),
    ...(pick([0, 0, 1]) && { inStock: pick([true, false]) }),
    ...(pick([0, 0, 1]) && { onSale: pick([true, false]) }),
    ...(pick([0, 0, 0, 1]) && { publishedFrom: new Date(now.getTime() - pick([1, 10, 30]) * 86_400_000) }),
    ...randomDeepFilter(g, nat),
  };
};

const randomRequest = (g: GeneratorValue, now: Date): BrowseRequest => {
  const pick = pickFrom(g);
  const text = randomText(g);
  const terms = termsOf(text);
  const code = foldCode(text.trim());
  const order = pick(ORDERS);
  const size = pick([0, 1, 3, 20, 100]);
  return {
    terms,
    ...(code !== '' && { code }),
    filter: randomFilter(g, now),
    order: order === 'RELEVANCE' && terms.length === 0 ? 'BEST_SELLING' : order,
    page: pick([
      { from: 'start', size },
      { from: 'end', size },
      { from: 'start', size, offset: pick([0, 1, 7, 200, 600]) },
    ] as const),
    isCounted: pick([true, false]),
    facets: new Set(FACETS.filter(() => pick([true, false, false]))),
    now,
    languages: pick(LANGUAGES),
  };
};

/** The next page of an answer, or the one before it. */
const continued = (
  request: BrowseRequest,
  items: readonly { readonly position: Position }[],
  isBackward: boolean,
): BrowseRequest => {
  const position = items.at(isBackward ? 0 : -1)?.position;
  const size = Math.max(1, request.page.size);
  if (!position) return request;
  return {
    ...request,
    page: { from: isBackward ? 'end' : 'start', size, position },
  };
};

const sorted = <Value extends { readonly value: number }>(values: readonly Value[] | undefined) =>
  values && [...values].sort((a, b) => a.value - b.value);

const search = async (engine: BrowseEngine, request: BrowseRequest) => {
  const { facets, ...result } = await engine.search(request);
  return { ...result, facets: { ...facets, categories: sorted(facets.categories) } };
};

const askBoth = async ({ sql, index, either }: BrowseEngines, request: BrowseRequest) => {
  const expected = await search(sql, request);
  // The order of names is read while SQL answers.
  const engine = request.order === 'NAME_ASC' ? either() : index;
  expect(await search(engine, request), JSON.stringify({ ...request, facets: [...request.facets] })).toEqual(expected);
  return expected;
};

test('both engines answer every question alike, while the catalogue changes', { timeout: 300_000 }, async () => {
  await using database = await createTestDatabase();
  await fill(database);
  await using engines = await createBrowseEngines(database, { languages: FURTHER });
  const { sql, index, now, browseIndex } = engines;
  /** By order, where answers ended: the products there change. */
  const left = new Map<ProductSearchOrder, Position[]>(ORDERS.map((order) => [order, []]));
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const pick = pickFrom(g);
      for (let count = pick([0, 0, 1, 3]); count > 0; count -= 1) await change(database, g);
      const request = randomRequest(g, now());
      const { items } = await askBoth(engines, request);
      await askBoth(engines, continued(request, items, pick([true, false])));
      const positions = left.get(request.order) ?? [];
      if (positions.length > 0 && pick([true, false])) {
        const page = { from: pick(['start', 'end'] as const), size: pick([1, 20]), position: pick(positions) };
        await askBoth(engines, { ...request, page });
      }
      positions.push(...items.slice(-1).map(({ position }) => position));

      const terms = randomTerms(g);
      if (terms.length === 0) return;
      const { languages } = request;
      const suggestion = { terms, limit: pick([1, 5, 20]), now: request.now, languages };
      expect(await index.suggest(suggestion), JSON.stringify(suggestion)).toEqual(await sql.suggest(suggestion));
      const correction = { terms, now: request.now, languages };
      expect(await index.correct(correction), JSON.stringify(correction)).toEqual(await sql.correct(correction));
    }),
    { numRuns: 150 },
  );
  // What SQL answered in the order of names is a small part.
  expect(browseIndex.answers.index).toBeGreaterThan(browseIndex.answers.sql);
});

test('SQL finds and counts by attributes, options and codes as one product at a time does', {
  timeout: 300_000,
}, async () => {
  await using database = await createTestDatabase();
  await fill(database);
  await using engines = await createBrowseEngines(database, { waitsForIndex: false });
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const pick = pickFrom(g);
      for (let count = pick([0, 0, 1, 3]); count > 0; count -= 1) await change(database, g);
      const text = pick(CODES);
      const request: BrowseRequest = {
        terms: [],
        ...(pick([0, 0, 1]) && { code: foldCode(text.trim()) }),
        filter: { ...randomDeepFilter(g, nat), ...(pick([0, 1]) && { inStock: pick([true, false]) }) },
        order: 'BEST_SELLING',
        page: { from: 'start', size: 2 * PRODUCTS },
        isCounted: true,
        facets: new Set<Facet>(['inStock', 'attributes', 'options']),
        now: engines.now(),
      };
      const expected = expectedOf(await readDeepProducts(database, request.now), request);
      const answer = await engines.sql.search(request);
      expect(foundOf(answer), JSON.stringify(request)).toEqual(expected);
      expect(answer.totalCount).toBe(expected.ids.length);
      // What is not asked for changes nothing.
      expect(foundOf(await engines.sql.search({ ...request, facets: new Set() })).ids).toEqual(expected.ids);
    }),
    { numRuns: 150 },
  );
});
