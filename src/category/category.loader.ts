import DataLoader from 'dataloader';
import { keepRows } from '../cache/known-rows.ts';
import { ReadAgain } from '../database/failures.ts';
import { type Category, Prisma } from '../database/generated/client/client.ts';
import { COLUMNS } from '../database/generated/tables.ts';
import { inList, MAX_KEYS, rowsBy } from '../database/prisma.ts';
import { columnsOf, isStorable, type Statement } from '../database/sql.ts';
import type { LoaderScope, ReadDeps } from '../graphql/context.ts';
import { shownText, translationOf } from '../language/shown.ts';
import { memo } from '../memo.ts';
import { createAliasLoader } from '../translation/translation.loader.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly category: CategoryLoaders;
  }
}

/** The order of the roots, and of the children of each category. */
const BY_POSITION: Prisma.CategoryOrderByWithRelationInput[] = [{ position: 'asc' }, { id: 'asc' }];

/** Between the names of a path. */
const PATH_SEPARATOR = ' > ';

const SHOWN = columnsOf(Prisma.CategoryScalarFieldEnum, COLUMNS.Category, 'c');

// Prisma has no recursive queries: a tree would take a statement for each level.
// `union` leaves out rows that are there already, so that a circle of categories ends too.

/** Values: ids. */
const categoriesAndAncestors: Statement = {
  name: 'categories_and_ancestors',
  text: `
    with recursive above (id, parent_id) as (
      select c.id, c.parent_id from category c where c.id = any($1::int[])
      union
      select c.id, c.parent_id from above a join category c on c.id = a.parent_id
    )
    select ${SHOWN} from above a join category c on c.id = a.id`,
};

/** Values: ids. */
const categoriesAndDescendants: Statement = {
  name: 'categories_and_descendants',
  text: `
    with recursive below (id) as (
      select unnest($1::int[])
      union
      select c.id from below b join category c on c.parent_id = b.id
    )
    select b.id from below b`,
};

type CategoryReads = ReturnType<typeof createCategoryReads>;

/** What the loaders of all operations share. */
const createCategoryReads = ({ sql, prisma, knownRows }: ReadDeps) => {
  const known = knownRows?.of<Category>('category');
  const find = (query: Prisma.CategoryFindManyArgs) => keepRows(known, () => prisma.category.findMany(query));
  return {
    sql,
    known,
    find,
    byId: rowsBy('id', (where) => find({ where })),
    bySlug: rowsBy('slug', (where) => find({ where })),
    idsOfAlias: createAliasLoader(sql, 'category'),
  };
};

/** Makes the loaders of each operation. */
export const createCategoryLoaders = (deps: ReadDeps) => {
  const reads = createCategoryReads(deps);
  return (scope: LoaderScope) => new CategoryLoaders(reads, scope);
};

/** Loaders for one operation. A category that a list has read is not read again for a product of it. */
class CategoryLoaders {
  readonly #reads: CategoryReads;
  readonly #scope: LoaderScope;
  readonly #loaded = new Map<number, Category | Promise<Category | null>>();

  constructor(reads: CategoryReads, scope: LoaderScope) {
    this.#reads = reads;
    this.#scope = scope;
  }

  byIdOrNull(id: number): Category | Promise<Category | null> {
    let category = this.#loaded.get(id);
    if (!category) {
      const { dependencies } = this.#scope;
      dependencies.add('category');
      category = this.#reads.known?.find(id, dependencies) ?? this.#read(id);
      this.#loaded.set(id, category);
    }
    return category;
  }

  /** For an id in a foreign key; at once where the category was read before. @throws ReadAgain */
  byId(id: number): Category | Promise<Category> {
    const category = this.byIdOrNull(id);
    return category instanceof Promise ? category.then((found) => found ?? vanished(id)) : category;
  }

  readonly bySlug = memo(async (slug: string): Promise<Category | null> => {
    this.#scope.dependencies.add('category');
    if (!isStorable(slug)) return null;
    const category = await this.#reads.bySlug.load(slug);
    if (category) return category;
    const [id] = await this.#reads.idsOfAlias(slug, this.#scope.language.fallBacks);
    return id === undefined ? null : this.byIdOrNull(id);
  });

  /** A category that was read together with other rows is not read again. */
  remember(category: Category): void {
    this.#scope.dependencies.add('category');
    this.#loaded.set(category.id, category);
  }

  /** Some categories and all that are above them, by id; an unknown id is left out. One statement for any number of calls at the same time. */
  lineage(ids: readonly number[]): Promise<ReadonlyMap<number, Category>> {
    this.#scope.dependencies.add('category');
    return this.#lineages.load(ids);
  }

  /** Those that one of these names stands for: a slug, a name, or the path, in the language of the operation or of the columns. */
  async byNames(names: readonly string[]): Promise<Category[]> {
    this.#scope.dependencies.add('category');
    const wanted = new Set(names.filter(isStorable));
    const ends = [...wanted].map((name) => name.split(PATH_SEPARATOR).at(-1) ?? name);
    const { fallBacks = [] } = this.#scope.language;
    const texts = [...new Set([...wanted, ...ends])];
    const translated = fallBacks.flatMap((language) =>
      ['name', 'slug'].flatMap((column) =>
        texts.map((text) => ({ translations: { path: [language, column], equals: text } })),
      ),
    );
    const oneOf = { in: inList(texts) };
    const found = await this.#reads.find({ where: { OR: [{ slug: oneOf }, { name: oneOf }, ...translated] } });
    const byId = await this.lineage(found.map(({ id }) => id));
    const isWanted = (category: Category): boolean => {
      const names = [
        category.slug,
        category.name,
        ...['slug', 'name'].map((column) => translationOf(category, column, fallBacks)),
      ];
      const path = this.#pathText([category, ...pathAbove(category, byId)].reverse());
      return [...names, path].some((name) => wanted.has(name as string));
    };
    return found.filter(isWanted);
  }

  /** The names from the root to a category, as they are shown: `Home > Kitchen`. */
  async pathOf(category: Category): Promise<string> {
    return this.#pathText([...(await this.ancestorsOf(category)), category]);
  }

  /** @param line from the root to a category */
  #pathText(line: readonly Category[]): string {
    const { fallBacks } = this.#scope.language;
    return line.map((category) => shownText(category, 'name', fallBacks)).join(PATH_SEPARATOR);
  }

  /** Those above a category, root first. */
  async ancestorsOf(category: Category): Promise<Category[]> {
    this.#scope.dependencies.add('category');
    if (category.parentId === null) return [];
    return pathAbove(category, await this.lineage([category.parentId])).reverse();
  }

  /** These ids and those of all categories below them. */
  async withDescendants(ids: readonly number[]): Promise<number[]> {
    this.#scope.dependencies.add('category');
    const rows = await this.#reads.sql.rows<{ id: number }>(categoriesAndDescendants, [ids]);
    return rows.map(({ id }) => id);
  }

  /** The roots of the tree, by position then id. */
  readonly roots = memo(() => this.#rememberAll(this.#reads.find({ where: { parentId: null }, orderBy: BY_POSITION })));

  /** By position then id. */
  childrenOf(id: number): Promise<Category[]> {
    return this.#children.load(id);
  }

  readonly #lineages = new DataLoader<readonly number[], ReadonlyMap<number, Category>>(
    async (lists) => {
      const ids = new Set(lists.flat());
      const read = this.#reads.sql.rows<Category>(categoriesAndAncestors, [[...ids]]);
      const byId = new Map((await this.#rememberAll(read)).map((category) => [category.id, category]));
      return lists.map(() => byId);
    },
    { cache: false },
  );

  readonly #children = new DataLoader<number, Category[]>(
    async (parentIds) => {
      const where = { parentId: { in: inList(parentIds) } };
      const categories = await this.#rememberAll(this.#reads.find({ where, orderBy: BY_POSITION }));
      const byParent = Map.groupBy(categories, ({ parentId }) => parentId);
      return parentIds.map((parentId) => byParent.get(parentId) ?? []);
    },
    { maxBatchSize: MAX_KEYS },
  );

  /** Waits until all lists of products are read, so that their categories take one statement. */
  #read(id: number): Promise<Category | null> {
    const { inFlight } = this.#scope;
    const load = () => this.#reads.byId.load(id);
    return inFlight.isIdle ? load() : new Promise((resolve) => inFlight.whenIdle(() => resolve(load())));
  }

  async #rememberAll(read: Promise<Category[]>): Promise<Category[]> {
    this.#scope.dependencies.add('category');
    const categories = await read;
    for (const category of categories) this.#loaded.set(category.id, category);
    return categories;
  }
}

/** The categories above one, its parent first. Ends where the parents form a circle. */
export const pathAbove = ({ id, parentId }: Category, byId: ReadonlyMap<number, Category>): Category[] => {
  const path: Category[] = [];
  const seen = new Set([id]);
  for (let next = parentId; next !== null && !seen.has(next); ) {
    const parent = byId.get(next);
    if (!parent) return vanished(next);
    seen.add(next);
    path.push(parent);
    next = parent.parentId;
  }
  return path;
};

const vanished = (id: number): never => {
  throw new ReadAgain(`category ${id} vanished while it was referred to`);
};
