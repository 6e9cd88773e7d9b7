import fc, { type GeneratorValue } from 'fast-check';
import {
  type BrowseRequest,
  type FallBacks,
  FIELD_WEIGHTS,
  type SearchTerm,
  type Suggestion,
  type SuggestionRequest,
} from '../../src/browse/browse-engine.ts';
import { changesAllowed, correctionsOf } from '../../src/browse/correction.ts';
import { compareCodePoints } from '../../src/browse/order.ts';
import { fold, foldedWordsOf, piecesOfTerm, SEARCHED_FIELD } from '../../src/browse/words.ts';
import type { TestDatabase } from './database.ts';

// A small catalogue in three languages, at random, and what a search of it gives, one product at a time.

/** The tables' own language, German, and Portuguese with that of Brazil. */
export const CHAINS: readonly FallBacks[] = [undefined, ['de'], ['pt'], ['pt-BR', 'pt']];
const LANGUAGES = ['de', 'pt', 'pt-BR'];
const WORDS = ['red', 'rot', 'vermelho', 'boot', 'boots', 'Stiefel', 'bota', 'Größe', 'GROSSE', '赤い靴', '靴'];
const TERMS = ['red', 'new', 'Size', 'Colour', 'M', 'boot'];
const CATEGORIES = 4;
const PRODUCTS = 40;

const pickFrom =
  (g: GeneratorValue) =>
  <Value>(values: readonly Value[]): Value =>
    values[g(fc.nat, { max: values.length - 1 })] as Value;

export const randomText = (g: GeneratorValue): string => {
  const pick = pickFrom(g);
  return Array.from({ length: pick([1, 1, 2, 3]) }, () => pick(WORDS)).join(' ');
};

/** Of some languages, some columns; some texts are empty. */
const randomTranslations = (g: GeneratorValue, columns: readonly string[]): object => {
  const pick = pickFrom(g);
  const ofLanguages = LANGUAGES.filter(() => pick([true, false])).map((language) => {
    const texts = columns
      .filter(() => pick([true, false]))
      .map((column) => [column, pick(['', randomText(g), randomText(g)])]);
    return [language, Object.fromEntries(texts)];
  });
  return Object.fromEntries(ofLanguages);
};

const PRODUCT_COLUMNS = 'category_id, name, subtitle, description, brand, tags, sales, attributes, translations';

const writeProducts = async ({ sql }: TestDatabase, g: GeneratorValue, ids: readonly number[]): Promise<void> => {
  const pick = pickFrom(g);
  const rows = ids.map((id) => {
    const tags = TERMS.filter(() => pick([true, false, false]));
    return {
      ...{
        id,
        tags,
        slug: `p${id}`,
        price: 1,
        published_at: '2026-01-01',
        category_id: 1 + g(fc.nat, { max: CATEGORIES - 1 }),
      },
      ...{ name: randomText(g), subtitle: pick([null, '', randomText(g)]), description: pick(['', randomText(g)]) },
      ...{ brand: pick([null, 'red', 'Acme']), sales: pick([1, 2, 2, 3]) },
      attributes: Object.fromEntries(tags.map((tag) => [tag, pick(['M', 'red', 'new', ['M', 'boot']])])),
      translations: randomTranslations(g, ['name', 'subtitle', 'description']),
    };
  });
  const columns = `id, slug, price, published_at, ${PRODUCT_COLUMNS}`;
  await sql(
    `insert into product (${columns}) overriding system value select ${columns} from jsonb_populate_recordset(null::product, $1)
     on conflict (id) do update set (${PRODUCT_COLUMNS}) = row(${PRODUCT_COLUMNS.split(', ').map((column) => `excluded.${column}`)})`,
    [JSON.stringify(rows)],
  );
};

export const fillTranslated = async (database: TestDatabase, g: GeneratorValue): Promise<void> => {
  await database.sql('delete from product; delete from category; delete from term_translation');
  for (let id = 1; id <= CATEGORIES; id += 1) {
    await database.sql(
      `insert into category (id, parent_id, name, slug, translations) overriding system value values ($1::int, $2, $3, 'c' || $1::int, $4)`,
      [id, id > 2 ? 1 : null, randomText(g), randomTranslations(g, ['name'])],
    );
  }
  await writeProducts(
    database,
    g,
    Array.from({ length: PRODUCTS }, (_, index) => index + 1),
  );
  for (const language of LANGUAGES) await writeLabel(database, g, language);
};

const writeLabel = async ({ sql }: TestDatabase, g: GeneratorValue, language: string): Promise<void> => {
  const pick = pickFrom(g);
  await sql(
    `insert into term_translation values ($1, $2, $3) on conflict (language, term) do update set text = excluded.text`,
    [language, pick(TERMS), pick(['', randomText(g), randomText(g)])],
  );
};

/** What a back office does, at random. */
export const changeTranslated = async (database: TestDatabase, g: GeneratorValue): Promise<void> => {
  const pick = pickFrom(g);
  const id = 1 + g(fc.nat, { max: PRODUCTS });
  const term = pick(TERMS);
  const language = pick(LANGUAGES);
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => writeProducts(database, g, [id]),
    () => database.sql('delete from product where id = $1', [id]),
    () =>
      database.sql('update product set translations = $2 where id between $1 and $1 + 3', [
        id,
        randomTranslations(g, ['name', 'subtitle', 'description']),
      ]),
    () => database.sql('update product set translations = translations - $2 where id < $1', [id, language]),
    () => database.sql('update product set tags = tags || $2 where id between $1 and $1 + 3', [id, [term]]),
    () =>
      database.sql('update category set translations = $2 where id = $1', [
        (id % CATEGORIES) + 1,
        randomTranslations(g, ['name']),
      ]),
    () => writeLabel(database, g, language),
    () => database.sql('update term_translation set text = $2 where language = $1', [language, randomText(g)]),
    () => database.sql('delete from term_translation where term = $1', [term]),
  ];
  await pick(kinds)();
};

interface Row {
  readonly id: number;
  readonly name: string;
  readonly translations: Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
}

interface ProductRow extends Row {
  readonly categoryId: number;
  readonly subtitle: string | null;
  readonly description: string;
  readonly brand: string | null;
  readonly tags: readonly string[];
  readonly sales: number;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
}

interface CategoryRow extends Row {
  readonly parentId: number | null;
}

/** Every product as it is shown in a language. */
export class ShownCatalogue {
  readonly #languages: readonly string[];
  readonly #labels: ReadonlyMap<string, string>;
  readonly #categories: readonly CategoryRow[];
  readonly #products;

  private constructor(
    languages: FallBacks,
    labels: ReadonlyMap<string, string>,
    categories: readonly CategoryRow[],
    products: readonly ProductRow[],
  ) {
    this.#languages = languages ?? [];
    this.#labels = labels;
    this.#categories = categories;
    this.#products = products.map((product) => {
      const name = this.#textOf(product, 'name', product.name);
      const subtitle = this.#textOf(product, 'subtitle', product.subtitle ?? '');
      const description = this.#textOf(product, 'description', product.description);
      const tags = product.tags.map((tag) => this.labelOf(tag)).join(' ');
      const brand = product.brand ?? '';
      // The best field first.
      const fields = [[name], [brand, tags], [subtitle], [description]].map((texts) =>
        texts.map((text) => foldedWordsOf(text, SEARCHED_FIELD)),
      );
      return { ...product, shownName: name, fields };
    });
  }

  static async read({ sql }: TestDatabase, languages: FallBacks): Promise<ShownCatalogue> {
    const labels = await sql<{ key: string; text: string }>(
      `select language || ' ' || term as key, text from term_translation where text <> ''`,
    );
    return new ShownCatalogue(
      languages,
      new Map(labels.map(({ key, text }) => [key, text])),
      await sql<CategoryRow>('select id, name, translations, parent_id as "parentId" from category'),
      await sql<ProductRow>('select *, category_id as "categoryId" from product'),
    );
  }

  labelOf(term: string): string {
    for (const language of this.#languages) {
      const label = this.#labels.get(`${language} ${term}`);
      if (label !== undefined) return label;
    }
    return term;
  }

  #textOf({ translations }: Row, column: string, own: string): string {
    for (const language of this.#languages) {
      const text = translations[language]?.[column];
      if (text) return text;
    }
    return own;
  }

  #found(terms: readonly SearchTerm[]) {
    const weights = [FIELD_WEIGHTS.name, FIELD_WEIGHTS.brand, FIELD_WEIGHTS.subtitle, FIELD_WEIGHTS.description];
    return this.#products.flatMap((product) => {
      const scores = terms.map(
        (term) => weights[product.fields.findIndex((texts) => texts.some((words) => hasTerm(words, term)))] ?? 0,
      );
      return scores.includes(0) ? [] : [{ ...product, score: scores.reduce<number>((sum, score) => sum + score, 0) }];
    });
  }

  /** @param rankOf a name in the order of the database */
  search({ terms, order }: BrowseRequest, rankOf: (name: string) => number) {
    const found = this.#found(terms);
    const bySales = (one: ProductRow, other: ProductRow) => other.sales - one.sales || other.id - one.id;
    const ordered =
      order === 'NAME_ASC'
        ? found.sort((one, other) => rankOf(one.shownName) - rankOf(other.shownName) || one.id - other.id)
        : found.sort((one, other) => (order === 'RELEVANCE' ? other.score - one.score : 0) || bySales(one, other));
    return {
      ids: ordered.map(({ id }) => id),
      tags: this.#counted(found.map(({ tags }) => tags)),
      attributes: this.#counted(found.map(({ attributes }) => Object.keys(attributes))).map(({ value: name }) => ({
        name,
        values: this.#counted(found.map(({ attributes }) => [attributes[name] ?? []].flat())),
      })),
    };
  }

  /** Most first, then by label. */
  #counted(lists: readonly (readonly string[])[]) {
    const values = [...new Set(lists.flat())];
    return values
      .map((value) => ({ value, count: lists.filter((list) => list.includes(value)).length }))
      .sort(
        (one, other) =>
          other.count - one.count ||
          compareCodePoints(this.labelOf(one.value), this.labelOf(other.value)) ||
          compareCodePoints(one.value, other.value),
      );
  }

  suggest({ terms, limit }: SuggestionRequest): Suggestion[] {
    const fits = (text: string): boolean => {
      const words = foldedWordsOf(text, SEARCHED_FIELD);
      return terms.every((term) => hasTerm(words, term));
    };
    const salesOf = (products: readonly ProductRow[]): number => Math.max(...products.map(({ sales }) => sales));
    const group = (
      kind: Suggestion['kind'],
      id: number,
      text: string,
      products: readonly ProductRow[],
    ): Suggestion[] => (products.length > 0 && fits(text) ? [{ kind, text, sales: salesOf(products), id }] : []);
    const isBelow = (id: number | null, root: number): boolean =>
      id !== null && (id === root || isBelow(this.#categories.find((each) => each.id === id)?.parentId ?? null, root));
    const values = <Value>(lists: readonly (readonly Value[])[]): Value[] => [...new Set(lists.flat())];
    const all = [
      ...this.#categories.flatMap((category) =>
        group(
          'CATEGORY',
          category.id,
          this.#textOf(category, 'name', category.name),
          this.#products.filter(({ categoryId }) => isBelow(categoryId, category.id)),
        ),
      ),
      ...values(this.#products.map(({ brand }) => (brand === null ? [] : [brand]))).flatMap((brand) =>
        group(
          'BRAND',
          0,
          brand,
          this.#products.filter((each) => each.brand === brand),
        ),
      ),
      ...values(this.#products.map(({ tags }) => tags)).flatMap((tag) =>
        group(
          'TAG',
          0,
          this.labelOf(tag),
          this.#products.filter(({ tags }) => tags.includes(tag)),
        ),
      ),
      ...this.#products.flatMap((product) => group('PRODUCT', product.id, product.shownName, [product])),
    ];
    const KINDS = ['CATEGORY', 'BRAND', 'TAG', 'PRODUCT'];
    const seen = new Set<string>();
    return all
      .sort(
        (one, other) =>
          other.sales - one.sales ||
          KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
          (one.kind === 'PRODUCT' ? 0 : compareCodePoints(one.text, other.text)) ||
          other.id - one.id,
      )
      .filter(({ text }) => !seen.has(fold(text)) && seen.add(fold(text)))
      .slice(0, limit);
  }

  correct(terms: readonly SearchTerm[]): readonly SearchTerm[] | undefined {
    const isFound = (searched: readonly SearchTerm[]): boolean => this.#found(searched).length > 0;
    if (isFound(terms) || terms.every(({ text }) => changesAllowed(text) === 0)) return undefined;
    const words = new Map<string, number>();
    for (const { fields } of this.#products)
      for (const word of new Set(fields.flat(2))) words.set(word, (words.get(word) ?? 0) + 1);
    const vocabulary = { words: [...words.keys()], countOf: (word: string) => words.get(word) ?? 0 };
    return correctionsOf(terms, (term) => isFound([term]), vocabulary).find(isFound);
  }
}

const hasTerm = (words: readonly string[], term: SearchTerm): boolean => {
  const pieces = piecesOfTerm(term);
  const isBeginning = term.isPrefix && pieces.length === 1;
  return words.some((_, at) =>
    pieces.every((piece, place) => {
      const word = words[at + place];
      return isBeginning ? word?.startsWith(piece) : word === piece;
    }),
  );
};
