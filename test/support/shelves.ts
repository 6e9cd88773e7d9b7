import type { TestDatabase } from './database.ts';

/** A product as tests compare it with what is found. */
export interface ShelvedProduct {
  readonly id: number;
  readonly category_id: number;
  readonly name: string;
  readonly brand: string | null;
  readonly tags: readonly string[];
  /** In hundredths. */
  readonly cents: number;
  readonly list_cents: number | null;
  readonly stock: number;
  readonly sales: number;
  /** In microseconds. */
  readonly published: string;
  readonly isVisible: boolean;
}

/** The tree: 1 > 2 > 3, 1 > 4, 5, 6 > 7; the last is empty. */
export const PARENTS: Readonly<Record<number, number | null>> = { 1: null, 2: 1, 3: 2, 4: 1, 5: null, 6: null, 7: 6 };

const NOUNS = ['Teapot', 'Kettle', 'Mug', 'Plate', 'Lamp', 'Chair', 'Tent', 'Pan'];

/** Products with many ties, some not visible, on a tree of categories. The same in each run. */
export const fillShelves = async ({ sql }: Pick<TestDatabase, 'sql'>, count: number): Promise<void> => {
  for (const [id, parent] of Object.entries(PARENTS)) {
    await sql(`insert into category (id, parent_id, name, slug) overriding system value values ($1, $2, $3, $4)`, [
      id,
      parent,
      `Shelf ${id}`,
      `shelf-${id}`,
    ]);
  }
  await sql(
    `insert into product (category_id, name, slug, brand, tags, price, list_price, stock, sales, status, published_at, subtitle, description)
     select 1 + n % 6, (array[${NOUNS.map((noun) => `'${noun}'`)}])[1 + n % 8] || ' ' || n % 40, 'p' || n,
       (array['Lumo', 'Ärla', null, 'Nordwind', 'lumo'])[1 + n % 5],
       case n % 4 when 0 then '{}' when 1 then array['red'] when 2 then array['red', 'gift'] else array['gift', 'gift', 'new in'] end,
       (n * 37 % 250) + (n % 3) * 0.33, case when n % 3 = 0 then (n * 37 % 250) + 5 when n % 7 = 0 then 0 end,
       greatest(0, n % 9 - 3), n % 11, (case when n % 23 = 0 then 'DRAFT' when n % 29 = 0 then 'OFF_SALE' else 'ON_SALE' end)::product_status,
       case when n % 31 = 0 then timestamptz '2100-01-01Z' else timestamptz '2020-01-01Z' + (n % 50) * interval '1 day 1 microsecond' end,
       case when n % 5 = 0 then 'Enamel, for every day' end, 'Number ' || n || ' of the <b>shop</b>'
     from generate_series(1, $1) n`,
    [count],
  );
};

export const readShelves = async ({ sql }: Pick<TestDatabase, 'sql'>): Promise<ShelvedProduct[]> =>
  sql<ShelvedProduct>(
    `select id, category_id, name, brand, tags, (price * 100)::int as cents, (list_price * 100)::int as list_cents, stock, sales,
       (extract(epoch from published_at) * 1000000)::bigint::text as published,
       status = 'ON_SALE' and published_at <= now() as "isVisible"
     from product order by id`,
  );

/** Whether a category is another one or below it. */
export const isBelow = (id: number, root: number): boolean => {
  for (let at: number | null = id; at !== null; at = PARENTS[at] ?? null) if (at === root) return true;
  return false;
};
