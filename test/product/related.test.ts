import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { FRESHNESS_MS: '0' }));

let near: number;
let far: number;

beforeEach(async () => {
  await emptyTables(database);
  near = await insertCategory(database);
  far = await insertCategory(database);
});

/** Tags, category and sales of each product; the first is the one that others are related to. */
const insertAll = async (...products: [name: string, tags: string[], category: number, sales: number][]) => {
  for (const [name, tags, category_id, sales] of products)
    await insertProduct(database, { name, tags, category_id, sales });
};

const related = async (id: number, argument = ''): Promise<string[]> => {
  const { data, errors } = await gateway.graphql(`{ product(id: ${id}) { related${argument} { name } } }`);
  expect(errors).toBeUndefined();
  return data.product.related.map(({ name }: { name: string }) => name);
};

test('those with most tags in common come first, then those of the same category, then the best sellers', async () => {
  await insertAll(
    ['Shirt', ['linen', 'summer', 'pour-over'], near, 900],
    ['one tag, best seller', ['summer'], far, 500],
    ['one tag, same category', ['linen'], near, 1],
    ['two tags', ['SUMMER', 'pour-over', 'linen'], far, 0],
    ['its words, but no tag of it', ['over', 'pour', 'summers'], far, 3],
    ['same category', [], near, 2],
    ['same category, best seller', ['wool'], near, 4],
    ['best seller', [], far, 800],
  );
  const all = [
    'two tags',
    'one tag, same category',
    'one tag, best seller',
    'same category, best seller',
    'same category',
    'best seller',
    'its words, but no tag of it',
  ];
  expect(await related(1)).toEqual(all);
  expect(await related(1, '(limit: 2)')).toEqual(all.slice(0, 2));
  expect(await related(6)).toEqual([
    'Shirt',
    'same category, best seller',
    'one tag, same category',
    'best seller',
    'one tag, best seller',
    'its words, but no tag of it',
    'two tags',
  ]);
});

test('none is itself or hidden, and a tag that is there twice counts once', async () => {
  await insertAll(
    ['Shirt', ['linen', 'linen', 'summer'], near, 900],
    ['twice', ['linen', 'linen'], far, 1],
    ['once', ['summer'], far, 2],
  );
  await insertProduct(database, { name: 'draft', category_id: near, tags: ['linen', 'summer'], status: 'DRAFT' });
  await insertProduct(database, { name: 'later', category_id: near, tags: ['linen'], published_at: '2999-01-01Z' });
  expect(await related(1)).toEqual(['once', 'twice']);
});

test('a tag in common is found among thousands of products that have its word in their descriptions', async () => {
  await insertProduct(database, { name: 'Shirt', category_id: near, tags: ['linen'] });
  await database.sql(
    `insert into product (category_id, name, slug, price, sales, description)
     select $1, 'P' || n, 'p' || n, 1, 100, 'Goes with linen' from generate_series(1, 2500) n`,
    [near],
  );
  await insertProduct(database, { name: 'Trousers', category_id: far, tags: ['linen'] });
  expect(await related(1, '(limit: 1)')).toEqual(['Trousers']);
});

test('a tag in common is found among more products than 20,000 that have its words in tags of theirs', async () => {
  await insertProduct(database, { name: 'Shirt', category_id: near, tags: ['slim fit'] });
  await database.sql(
    `insert into product (category_id, name, slug, price, sales, tags)
     select $1, 'P' || n, 'p' || n, 1, 100, '{fit,slim}' from generate_series(1, 20500) n`,
    [near],
  );
  await insertProduct(database, { name: 'Trousers', category_id: far, tags: ['slim fit'] });
  expect(await related(1, '(limit: 1)')).toEqual(['Trousers']);
});

test('hundreds that are hidden and have more tags in common push out none', async () => {
  await insertProduct(database, { name: 'Shirt', category_id: near, tags: ['linen', 'summer', 'slim'] });
  await database.sql(
    `insert into product (category_id, name, slug, price, tags, status)
     select $1, 'Old ' || n, 'old-' || n, 1, '{linen,summer,slim}', 'OFF_SALE' from generate_series(1, 250) n`,
    [near],
  );
  await database.sql(
    `insert into product (category_id, name, slug, price, sales) select $1, 'P' || n, 'p' || n, 1, 100 from generate_series(1, 200) n`,
    [near],
  );
  await insertProduct(database, { name: 'Trousers', category_id: far, tags: ['linen', 'summer'] });
  expect(await related(1, '(limit: 1)')).toEqual(['Trousers']);
});

test('eight are shown, or 1 to 20', async () => {
  await insertAll(
    ...Array.from({ length: 30 }, (_, n): [string, string[], number, number] => [`P${n}`, ['a'], near, n]),
  );
  expect(await related(1)).toHaveLength(8);
  expect(await related(1, '(limit: 20)')).toHaveLength(20);
  for (const limit of [0, 21]) {
    const { errors } = await gateway.graphql(`{ product(id: 1) { related(limit: ${limit}) { id } } }`);
    expect(errors?.[0]?.message).toBe(`Argument "limit" must be between 1 and 20, but is ${limit}.`);
  }
});

test('a tag that a thousand visible products have is looked at in full, however many hidden ones have it', async () => {
  await insertProduct(database, { name: 'Shirt', category_id: near, tags: ['linen', 'slim'] });
  const insert = (tags: string, status: string, from: number, to: number) =>
    database.sql(
      `insert into product (category_id, name, slug, price, sales, tags, status)
       select $1, 'P' || n, 'p' || n, 1, 100 + n, $2, $3::product_status from generate_series($4::int, $5) n`,
      [near, tags, status, from, to],
    );
  await insert('{linen,slim}', 'DRAFT', 1, 1500);
  await insert('{linen}', 'ON_SALE', 1501, 2498);
  await insertProduct(database, { name: 'Trousers', category_id: far, tags: ['slim', 'linen'] });
  expect(await related(1, '(limit: 2)')).toEqual(['Trousers', 'P2498']);
});

describe('the same is found as by SQL that reads all products', () => {
  const byReadingAll = (limit: number) =>
    database.sql<{ id: number; names: string[] }>(
      `select o.id, array(
         select p.name from product p where p.id <> o.id
         order by (select count(*) from unnest(p.tags) t where t = any (o.tags)) desc, p.category_id = o.category_id desc,
           p.sales desc, p.published_at desc, p.id desc limit 5) as names
       from product o order by o.sales desc, o.published_at desc, o.id desc limit $1`,
      [limit],
    );

  const byGateway = async (limit: number) => {
    const { data } = await gateway.graphql(`{ products(limit: ${limit}) { id related(limit: 5) { name } } }`);
    return data.products.map(({ id, related }: { id: number; related: { name: string }[] }) => ({
      id,
      names: related.map(({ name }) => name),
    }));
  };

  test('for many products with random tags', async () => {
    await database.sql(
      `insert into product (category_id, name, slug, price, sales, tags, published_at)
       select 1 + n % 2, 'P' || n, 'p' || n, 1, n * 7919 % 13, array(
         select (array['a', 'B b', 'é', '手冲', 'c-d', 'x1', '🔥', repeat('y', 9000) || 1, repeat('y', 9000) || 2])[k] from generate_series(1, 9) k where (n * (k + 3)) % 5 = 0
       ), '2020-01-01Z' from generate_series(1, 120) n`,
    );
    expect(await byGateway(100)).toEqual(await byReadingAll(100));
  });

  test('for tags that thousands of products have, whose best sellers came last', async () => {
    await database.sql(
      `insert into product (category_id, name, slug, price, sales, tags, published_at)
       select 1 + n % 2, 'P' || n, 'p' || n, 1, n, case when n % 3 = 0 then '{sale}' else '{sale,new}' end::text[], '2020-01-01Z'
       from generate_series(1, 4000) n`,
    );
    expect(await byGateway(10)).toEqual(await byReadingAll(10));
  });
});
