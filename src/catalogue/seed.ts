import type { ClientBase } from 'pg';
import { type DemoCategory, demoDepartments } from './demo/categories.ts';
import { demoNotices } from './demo/notices.ts';
import { demoProductsByCategory } from './demo/products/all-products.ts';
import type { DemoProduct } from './demo/products/demo-product.ts';

/** How many rows of each kind there are. */
export type SeedCounts = { readonly categories: number; readonly products: number; readonly notices: number };

/** Thrown when the demo catalogue was to be written over rows that are there already. */
export class CatalogueNotEmptyError extends Error {
  override readonly name = 'CatalogueNotEmptyError';
  readonly found: SeedCounts;

  /** @param found the rows that were in the way */
  constructor(found: SeedCounts) {
    super(
      'seeding only fills an empty database, and this one holds rows already ' +
        `(categories: ${found.categories}, products: ${found.products}, notices: ${found.notices})`,
    );
    this.found = found;
  }
}

/** Whether there is not one category, product or notice, so that seeding would succeed. */
export const isCatalogueEmpty = async (client: ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ empty: boolean }>(
    `select not (exists (select from category) or exists (select from product) or exists (select from notice)) as empty`,
  );
  return rows[0]?.empty === true;
};

/**
 * Writes the demo catalogue into an empty database, all of it or nothing, in a transaction of its own.
 * Every time in it is relative to the clock of the database. Identities are left to the database, in the order of
 * the lists, so that ids are the same on every new database.
 *
 * @param client a connected client with no transaction open
 * @returns the rows written
 * @throws CatalogueNotEmptyError when any of the three tables holds a row; nothing is changed then
 */
export const seedDemoCatalogue = async (client: ClientBase): Promise<SeedCounts> => {
  await client.query('begin');
  try {
    const counts = await fillEmptyCatalogue(client);
    await client.query('commit');
    return counts;
  } catch (error) {
    // A client that cannot roll back has lost its connection, and the server has rolled back: the cause says more.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
};

const fillEmptyCatalogue = async (client: ClientBase): Promise<SeedCounts> => {
  // Conflicts with itself and with every writer, not with readers: a second seed waits here, then finds rows.
  await client.query('lock table category, product, notice in share row exclusive mode');
  if (!(await isCatalogueEmpty(client))) throw new CatalogueNotEmptyError(await countRows(client));

  // Parents first: a row cannot name a parent that is inserted by the same statement.
  const departments = await insertRows(client, insertCategories, demoDepartments.map(toCategoryRow(null)));
  const shelves = demoDepartments.flatMap(({ slug, children }) => children.map(toCategoryRow(slug)));
  return {
    categories: departments + (await insertRows(client, insertCategories, shelves)),
    products: await insertRows(
      client,
      insertProducts,
      [...demoProductsByCategory].flatMap(([categorySlug, products]) => products.map(toProductRow(categorySlug))),
    ),
    notices: await insertRows(client, insertNotices, demoNotices),
  };
};

const countRows = async (client: ClientBase): Promise<SeedCounts> => {
  const { rows } = await client.query<SeedCounts>(
    `select (select count(*) from category)::int as categories,
            (select count(*) from product)::int as products,
            (select count(*) from notice)::int as notices`,
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error('a select of three counts returned no row');
  return counts;
};

/** Runs an insert that reads its rows, numbered by `ordinal`, from one JSON parameter. Returns the rows inserted. */
const insertRows = async (client: ClientBase, sql: string, rows: readonly object[]): Promise<number> => {
  const numbered = rows.map((row, ordinal) => ({ ...row, ordinal }));
  const { rowCount } = await client.query(sql, [JSON.stringify(numbered)]);
  return rowCount ?? 0;
};

const imagePath = (name: string): string => `/images/${name}.svg`;

const toCategoryRow =
  (parentSlug: string | null) =>
  ({ name, slug }: DemoCategory, position: number): object => ({
    name,
    slug,
    parentSlug,
    position,
    imageUrl: imagePath(slug),
  });

const toProductRow =
  (categorySlug: string) =>
  (product: DemoProduct): object => ({
    ...product,
    categorySlug,
    imageUrls: Array.from({ length: product.imageCount ?? 2 }, (_, index) =>
      imagePath(index === 0 ? product.slug : `${product.slug}-${index + 1}`),
    ),
  });

const insertCategories = `
  insert into category (parent_id, name, slug, image_url, position)
  select (select id from category where category.slug = "parentSlug"), name, slug, "imageUrl", position
  from jsonb_to_recordset($1::jsonb) as demo (
    ordinal int, "parentSlug" text, name text, slug text, "imageUrl" text, position int
  )
  order by ordinal`;

const insertProducts = `
  insert into product (category_id, name, slug, subtitle, description, brand, tags, price, list_price, stock, sales,
                       image_url, image_urls, status, published_at, created_at, updated_at)
  select (select id from category where category.slug = "categorySlug"), name, slug, subtitle, description, brand, tags,
         price, "listPrice", stock, sales, "imageUrls"[1], "imageUrls", coalesce(status, 'ON_SALE'),
         published_at, least(published_at, now()), least(published_at, now())
  from jsonb_to_recordset($1::jsonb) as demo (
    ordinal int, "categorySlug" text, name text, slug text, subtitle text, description text, brand text, tags text[],
    price numeric, "listPrice" numeric, stock int, sales int, "imageUrls" text[], status product_status,
    "publishedHoursAgo" int
  )
  cross join lateral (select now() - make_interval(hours => "publishedHoursAgo") as published_at) as publication
  order by ordinal`;

const insertNotices = `
  insert into notice (type, level, title, summary, content, pinned, status, starts_at, ends_at, view_count,
                      created_at, updated_at)
  select coalesce(type, 'ANNOUNCEMENT'), coalesce(level, 'NORMAL'), title, summary, content, coalesce(pinned, false),
         coalesce(status, 'PUBLISHED'), starts_at, now() + make_interval(mins => "endsInMinutes"),
         coalesce("viewCount", 0), least(starts_at, now()), least(starts_at, now())
  from jsonb_to_recordset($1::jsonb) as demo (
    ordinal int, type notice_type, level notice_level, title text, summary text, content text, pinned boolean,
    status notice_status, "startsInMinutes" int, "endsInMinutes" int, "viewCount" bigint
  )
  cross join lateral (select now() + make_interval(mins => "startsInMinutes") as starts_at) as period
  order by ordinal`;
