import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
await database.sql(`insert into category (name, slug) select 'C' || n, 'c' || n from generate_series(1, 6) n`);
// Few different values in every column that an order looks at, so that ties are everywhere; category 6 has nothing visible.
await database.sql(`
  insert into product (category_id, name, slug, price, sales, published_at, status)
  select 1 + n % 6, (array['apple', 'Apple', 'Äpfel', 'zebra', 'Ωmega', ''])[1 + n * 7 % 11 % 6], 'p' || n, n * 5 % 13 % 4, n * 3 % 17 % 3,
    timestamptz '2026-01-01T00:00:00Z' + n * 8 % 19 % 4 * interval '1 microsecond' + case n % 10 when 0 then interval '90 years' else interval '0' end,
    (case when n % 6 = 5 then 'DRAFT' when n % 7 = 0 then 'OFF_SALE' else 'ON_SALE' end)::product_status
  from generate_series(1, 400) n`);
const gateway = await shared(createTestGateway(database, PATIENT));

// The orders of the contract; those that leave ties open are settled by the id.
const ORDERS = {
  DEFAULT: 'sales desc, published_at desc, id desc',
  NEWEST: 'published_at desc, id desc',
  BEST_SELLING: 'sales desc, published_at desc, id desc',
  PRICE_ASC: 'price, id',
  PRICE_DESC: 'price desc, id desc',
  NAME_ASC: 'name, id',
} as const;

/** What a list should hold, by one plain statement. */
const expectedIds = async (
  order: keyof typeof ORDERS,
  limit: number,
  categoryIds: number[] = [],
): Promise<number[]> => {
  const rows = await database.sql<{ id: number }>(
    `select id from product where status = 'ON_SALE' and published_at <= now() and (cardinality($1::int[]) = 0 or category_id = any($1))
     order by ${ORDERS[order]} limit $2`,
    [categoryIds, limit],
  );
  return rows.map(({ id }) => id);
};

const idsOf = (products: { id: number }[]): number[] => products.map(({ id }) => id);

/** Runs `products` with these arguments, absent where they are undefined. */
const products = async (args: {
  categoryIds?: (number | null)[] | null;
  orderBy?: string;
  limit?: number;
}): Promise<number[]> => {
  const { data, errors } = await gateway.graphql(
    `query ($categoryIds: [Int!], $orderBy: ProductOrder! = DEFAULT, $limit: Int! = 20) {
      products(categoryIds: $categoryIds, orderBy: $orderBy, limit: $limit) { id }
    }`,
    args,
  );
  expect(errors).toBeUndefined();
  return idsOf(data.products);
};

test('the catalogue of these tests has ties for every order to break, in every category', async () => {
  const rows = await database.sql(`
    select count(distinct sales)::int as sales, count(distinct published_at)::int as moments,
      count(distinct price)::int as prices, count(distinct name)::int as names,
      count(*) > count(distinct (sales, published_at)) as has_ties
    from product where status = 'ON_SALE' and published_at <= now() group by category_id`);
  expect(rows).toEqual(Array(5).fill({ sales: 3, moments: 4, prices: 4, names: 6, has_ties: true }));
});

describe('each order is the same as plain SQL has it:', () => {
  const names = Object.keys(ORDERS) as (keyof typeof ORDERS)[];
  const cases = names.flatMap((order) =>
    [[], [1], [6], [2, 4], [5, 1, 3, 2, 4, 6]].map((categoryIds) => [order, categoryIds] as const),
  );

  test.for(cases)('%s of categories %j', async ([orderBy, categoryIds]) => {
    for (const limit of [1, 7, 100]) {
      const expected = await expectedIds(orderBy, limit, categoryIds);
      expect(await products({ categoryIds, orderBy, limit }), `limit ${limit}`).toEqual(expected);
      expect(new Set(expected).size).toBe(expected.length);
      expect(expected.length > 0).toBe(categoryIds.join() !== '6');
    }
  });

  test.for(names)('%s within each category of a list', async (orderBy) => {
    const { data, errors } = await gateway.graphql(
      `query ($orderBy: ProductOrder!) { categories { id products(orderBy: $orderBy, limit: 9) { id } } }`,
      { orderBy },
    );
    expect(errors).toBeUndefined();
    expect(data.categories).toHaveLength(6);
    for (const category of data.categories) {
      expect(idsOf(category.products)).toEqual(await expectedIds(orderBy, 9, [category.id]));
    }
  });
});

describe('hotProducts and newProducts', () => {
  test.for([1, 10, 33, 100])('show the first %i by sales and by publication', async (limit) => {
    const { data } = await gateway.graphql(
      `query ($limit: Int!) { hotProducts(limit: $limit) { id } newProducts(limit: $limit) { id } }`,
      { limit },
    );
    expect(idsOf(data.hotProducts)).toEqual(await expectedIds('BEST_SELLING', limit));
    expect(idsOf(data.newProducts)).toEqual(await expectedIds('NEWEST', limit));
  });

  test('show 10, and products 20, where nobody says how many', async () => {
    const { data } = await gateway.graphql(
      '{ hotProducts { id } newProducts { id } products { id } category(id: 1) { products { id } } }',
    );
    expect(idsOf(data.hotProducts)).toEqual(await expectedIds('BEST_SELLING', 10));
    expect(idsOf(data.newProducts)).toEqual(await expectedIds('NEWEST', 10));
    expect(idsOf(data.products)).toEqual(await expectedIds('DEFAULT', 20));
    expect(idsOf(data.category.products)).toEqual(await expectedIds('DEFAULT', 20, [1]));
  });
});

describe('categoryIds', () => {
  test('absent, null and empty mean every category', async () => {
    const all = await expectedIds('DEFAULT', 20);
    expect(await products({})).toEqual(all);
    expect(await products({ categoryIds: null })).toEqual(all);
    expect(await products({ categoryIds: [] })).toEqual(all);
    const { data } = await gateway.graphql(
      '{ none: products(categoryIds: null) { id } empty: products(categoryIds: []) { id } }',
    );
    expect(data).toEqual({ none: all.map((id) => ({ id })), empty: all.map((id) => ({ id })) });
  });

  test('given twice show no product twice, in whatever order they come', async () => {
    const expected = await expectedIds('NEWEST', 100, [2, 3]);
    expect(await products({ categoryIds: [3, 2, 3, 3, 2], orderBy: 'NEWEST', limit: 100 })).toEqual(expected);
    expect(await products({ categoryIds: [2, 3], orderBy: 'NEWEST', limit: 100 })).toEqual(expected);
  });

  test('that nobody knows match nothing, alone and among others', async () => {
    const unknown = [0, -1, 999_999, 2_147_483_647, -2_147_483_648];
    expect(await products({ categoryIds: unknown })).toEqual([]);
    expect(await products({ categoryIds: [...unknown, 4] })).toEqual(await expectedIds('DEFAULT', 20, [4]));
  });

  test('may be 1,000, in one statement', async () => {
    const categoryIds = Array.from({ length: 1000 }, (_, index) => index);
    const expected = await expectedIds('PRICE_DESC', 100, categoryIds);
    expect(
      await gateway.countStatements(async () => {
        expect(await products({ categoryIds, orderBy: 'PRICE_DESC', limit: 100 })).toEqual(expected);
      }),
    ).toBe(1);
  });
});

describe('limit', () => {
  const QUERIES = [
    ['hotProducts', (limit: unknown) => `hotProducts(limit: ${limit}) { id }`],
    ['newProducts', (limit: unknown) => `newProducts(limit: ${limit}) { id }`],
    ['products', (limit: unknown) => `products(limit: ${limit}) { id }`],
    ['products of categories', (limit: unknown) => `products(categoryIds: [1, 2], limit: ${limit}) { id }`],
    ['products of a category of a list', (limit: unknown) => `categories { products(limit: ${limit}) { id } }`],
  ] as const;

  test.for(QUERIES)(
    'of %s is refused out of 1 to 100, with its name and the range, as literal and as variable',
    async ([, query]) => {
      for (const limit of [0, -1, 101, 2_147_483_647, -2_147_483_648]) {
        const message = `Argument "limit" must be between 1 and 100, but is ${limit}.`;
        for (const { data, errors } of [
          await gateway.graphql(`{ ${query(limit)} }`),
          await gateway.graphql(`query ($limit: Int!) { ${query('$limit')} }`, { limit }),
        ]) {
          expect(data).toBeNull();
          expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT', argument: 'limit' } });
        }
      }
      for (const limit of [1, 100]) {
        expect((await gateway.graphql(`{ ${query(limit)} }`)).errors).toBeUndefined();
      }
    },
  );

  test('out of range nulls only the nullable field that it is under, and asks the database for no products', async () => {
    const { data, errors } = await gateway.graphql(
      '{ category(id: 1) { id products(limit: 0) { id } } products(limit: 1) { name } }',
    );
    expect(data).toEqual({ category: null, products: [{ name: expect.any(String) }] });
    expect(errors).toMatchObject([{ path: ['category', 'products'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test('in a nested list is for each parent, and differs by alias', async () => {
    const { data } = await gateway.graphql(
      '{ categories { id one: products(limit: 1) { id } three: products(limit: 3, orderBy: NAME_ASC) { id } } }',
    );
    for (const { id, one, three } of data.categories) {
      expect(idsOf(one)).toEqual(await expectedIds('DEFAULT', 1, [id]));
      expect(idsOf(three)).toEqual(await expectedIds('NAME_ASC', 3, [id]));
    }
  });
});
