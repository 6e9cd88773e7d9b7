import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UnknownOutcomeError } from '../../src/import/write/stage.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { importText, productCsv } from '../support/import.ts';
import { startProxy } from '../support/proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.sql('truncate category, product, notice restart identity');
});
afterAll(() => database[Symbol.asyncDispose]());

describe("Shopify's export", () => {
  const header =
    'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Image Src,Image Position,Image Alt Text,Status';

  test('is folded to a product a handle: lowest price, all stock, pictures in their order', async () => {
    const csv = `${header}
mug,Mug,"<p>Holds ""tea""</p>",Potter,Home & Garden > Kitchen,Drinkware,"clay, blue",true,Size,S,M-S,shopify,3,deny,14.50,,https://cdn/2.jpg,2,Side,active
mug,,,,,,,,,M,M-M,shopify,4,deny,12.00,15.00,https://cdn/1.jpg,1,Front,
mug,,,,,,,,,L,M-L,shopify,-2,deny,19.00,18.00,,,,
mug,,,,,,,,,,,,,,,,https://cdn/3.jpg,3,,
gift-card,Gift card,,Shop,,,,true,Title,Default Title,G,,,deny,25.00,20.00,,,,active
old,Old,,,,Drinkware,,false,Title,Default Title,O,shopify,0,continue,1.00,,,,,archived
hidden,Hidden,,,,Drinkware,,false,,,,shopify,0,deny,1.00,,,,,active
`;
    const { created, faults, format, unusedColumns } = await importText(database, csv, { currency: 'EUR' });
    expect({ created, faults, format: format.name }).toEqual({ created: 4, faults: [], format: 'shopify' });
    expect(unusedColumns).toEqual(['Option1 Name', 'Option1 Value', 'Variant SKU', 'Image Alt Text']);
    const rows = await database.sql(`
      select p.slug, price, list_price, currency, stock, p.status, tags, brand, image_urls, p.image_url, c.name as category, description
      from product p join category c on c.id = category_id order by p.id`);
    expect(rows).toEqual([
      {
        slug: 'mug',
        price: '12.00',
        list_price: '15.00',
        currency: 'EUR',
        stock: 7,
        status: 'ON_SALE',
        tags: ['clay', 'blue'],
        brand: 'Potter',
        image_urls: ['https://cdn/1.jpg', 'https://cdn/2.jpg', 'https://cdn/3.jpg'],
        image_url: 'https://cdn/1.jpg',
        category: 'Drinkware',
        description: '<p>Holds "tea"</p>',
      },
      expect.objectContaining({
        slug: 'gift-card',
        stock: 1,
        list_price: null,
        category: 'Uncategorized',
        image_url: null,
      }),
      expect.objectContaining({ slug: 'old', stock: 1, status: 'OFF_SALE' }),
      expect.objectContaining({ slug: 'hidden', stock: 0, status: 'OFF_SALE' }),
    ]);
  });

  test('of the newer column names is read as well', async () => {
    const csv = `Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Price,Compare-at price,Inventory tracker,Inventory quantity,Continue selling when out of stock,Product image URL,Image position
Mug,mug,Text,Potter,,Cups,a,TRUE,Active,M,9.00,,shopify,2,DENY,https://cdn/1.jpg,1
,mug,,,,,,,,M2,8.00,,shopify,1,DENY,,
`;
    expect(await importText(database, csv)).toMatchObject({ created: 1, faults: [], unusedColumns: ['SKU'] });
    expect(await database.sql('select price, stock, status from product')).toEqual([
      { price: '8.00', stock: 3, status: 'ON_SALE' },
    ]);
  });

  test('tells a price that cannot be read, and a row whose product is missing', async () => {
    const csv = `${header}
mug,Mug,,,,Cups,,true,,,,,,deny,9.00,,,,,active
mug,,,,,,,,,,,,,deny,free,,,,,
lid,,,,,,,,,,,,,deny,9.00,,,,,
pan,Pan,,,,Cups,,true,,,,,,deny,9.00,,,,,active
`;
    const { created, faults } = await importText(database, csv);
    expect(created).toBe(1);
    expect(faults).toEqual([
      { line: 2, column: 'Variant Price', value: 'free', reason: expect.stringContaining('amount') },
      { line: 4, column: 'Title', value: '', reason: 'is missing, and the product "lid" is new' },
    ]);
  });
});

describe("Shopify's export with a fault in a product of several rows", () => {
  const header =
    'Handle,Title,Type,Published,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Image Src,Image Position,Status';
  const cup = 'cup,Cup,Cups,true,shopify,5,4.00,https://cdn/c.jpg,1,active';
  const mug = [
    'mug,Mug,Cups,true,shopify,3,14.50,https://cdn/1.jpg,1,active',
    'mug,,,,shopify,4,12.00,https://cdn/2.jpg,2,',
    'mug,,,,shopify,2,13.00,"https://cdn/3.jpg",3,',
  ];
  const pan = 'pan,Pan,Pans,true,shopify,1,30.00,https://cdn/p.jpg,1,active';
  const file = (...rows: readonly string[]): string => `${[header, ...rows].join('\n')}\n`;
  const shown = () =>
    database.sql<{ slug: string }>(
      'select slug, name, price, stock, image_urls, updated_at from product order by slug',
    );

  test('cut anywhere within it changes nothing of the product, and is told', async () => {
    const whole = file(cup, ...mug);
    await importText(database, whole);
    const before = await shown();
    const from = whole.indexOf('\nmug') + 2;
    const quietlyCut: string[] = [];
    for (let at = from; at < whole.length - 1; at += 2) {
      // A file that ends between two rows cannot be told from a whole one.
      if (whole[at - 1] === '\n') continue;
      const { faults, changed, created } = await importText(database, whole.slice(0, at));
      const isTold = faults.some(({ reason }) => reason.includes('may be cut'));
      if (changed + created > 0 || !isTold) quietlyCut.push(whole.slice(from, at));
    }
    expect(quietlyCut).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  test.each([
    ['too few columns in its second row', [mug[0], 'mug,,,,shopify,4', mug[2]]],
    ['too many', [mug[0], `${mug[1]},,`, mug[2]]],
    ['a quote that is not closed', [mug[0], 'mug,,,,shopify,4,12.00,"https://cdn/2.jpg,2,', mug[2]]],
    ['a quote in the middle of a cell', [mug[0], 'mug,,,,shopify,4,12.00,x"https://cdn/2.jpg",2,', mug[2]]],
    ['a broken first row', ['mug,Mug,"Cups,true,shopify,3,14.50', mug[1], mug[2]]],
    ['a broken last row', [mug[0], mug[1], 'mug,,,,shopify']],
    ['no first row', [mug[1], mug[2]]],
    ['its rows apart', [mug[0], mug[1], 'lid,Lid,Cups,true,shopify,3,1.00,,,active', mug[2]]],
    ['a price that is none', [mug[0], mug[1]?.replace('12.00', 'free'), mug[2]]],
  ])('%s leaves the product as it was, and costs no other product', async (_, rows) => {
    await importText(database, file(cup, ...mug, pan));
    const before = await shown();
    const changedCup = cup.replace('4.00', '4.50');
    const changedPan = pan.replace('30.00', '31.00');
    const { faults, changed } = await importText(database, file(changedCup, ...(rows as string[]), changedPan));
    expect(faults.length).toBeGreaterThan(0);
    expect(changed).toBe(2);
    const mugOf = (products: readonly { slug: string }[]) => products.find(({ slug }) => slug === 'mug');
    expect(mugOf(await shown())).toEqual(mugOf(before));
  });

  test('names the row that is broken, and the product that is not taken for it', async () => {
    const { faults, created } = await importText(database, file(cup, ...mug.slice(0, 2), 'mug,,,,shopify', pan));
    expect(created).toBe(2);
    expect(faults).toEqual([
      { line: 5, reason: 'has 5 columns, and the first line names 10' },
      {
        line: 3,
        column: 'Handle',
        value: 'mug',
        reason: 'is not taken, because one of its rows, in line 5, is broken',
      },
    ]);
  });

  test('as JSON that is cut between two rows is not taken either', async () => {
    const rows = [mug[0], mug[1]].map((row) =>
      Object.fromEntries(header.split(',').map((column, index) => [column, row?.split(',')[index] ?? ''])),
    );
    const { faults, created } = await importText(database, JSON.stringify(rows, null, 1).slice(0, -2));
    expect(created).toBe(0);
    expect(faults[0]?.reason).toContain('may be cut');
  });
});

test("DummyJSON's products are read with their prices as they are", async () => {
  const products = [
    {
      id: 7,
      title: "Men's Shirt",
      description: 'Cotton.',
      category: 'mens-shirts',
      price: 19.99,
      discountPercentage: 10.48,
      stock: 5,
      tags: ['cotton'],
      brand: 'Halden',
      meta: { createdAt: '2025-04-30T09:41:02.053Z', updatedAt: '2025-05-30T09:41:02.053Z', barcode: '1' },
      images: ['https://cdn/1.webp'],
      thumbnail: 'https://cdn/t.webp',
    },
    { id: 8, title: "Men's Shirt", category: 'mens-shirts', price: 5, thumbnail: '' },
  ];
  const { created, unusedColumns, format } = await importText(
    database,
    JSON.stringify({ products, total: 2, skip: 0 }),
  );
  expect({ created, unusedColumns, format: format.name }).toEqual({
    created: 2,
    unusedColumns: ['discountPercentage'],
    format: 'dummyjson',
  });
  expect(
    await database.sql(
      `select p.slug, price, published_at, p.updated_at, p.image_url, c.slug as category, c.name from product p join category c on c.id = category_id order by p.id limit 1`,
    ),
  ).toEqual([
    {
      slug: 'mens-shirt-7',
      price: '19.99',
      published_at: new Date('2025-04-30T09:41:02.053Z'),
      updated_at: new Date('2025-05-30T09:41:02.053Z'),
      image_url: 'https://cdn/t.webp',
      category: 'mens-shirts',
      name: 'Mens Shirts',
    },
  ]);
});

const tree = async (): Promise<string[]> => {
  const rows = await database.sql<{ way: string }>(`
    with recursive down (id, way) as (
      select id, slug from category where parent_id is null
      union all select c.id, way || '/' || c.slug from down join category c on c.parent_id = down.id)
    select way from down order by way`);
  return rows.map(({ way }) => way);
};

describe('categories', () => {
  test('with a path of names are made with their parents', async () => {
    const csv = 'path,position\nKitchen > Pans,2\nGarden,1\nKitchen > Pots > Small pots,\n';
    expect(await importText(database, csv)).toMatchObject({ created: 3, createdCategories: 2, faults: [] });
    expect(await tree()).toEqual([
      'garden',
      'kitchen',
      'kitchen/kitchen-pans',
      'kitchen/kitchen-pots',
      'kitchen/kitchen-pots/kitchen-pots-small-pots',
    ]);
    expect(await importText(database, csv)).toMatchObject({ created: 0, changed: 0, unchanged: 3 });
  });

  test('with parents by slug may come in any order, and nested as GraphQL answers them', async () => {
    const csv = 'slug,name,parentSlug\nsmall,Small,pans\npans,Pans,kitchen\nkitchen,Kitchen,\n';
    expect(await importText(database, csv)).toMatchObject({ created: 3, changed: 0, faults: [] });
    expect(await tree()).toEqual(['kitchen', 'kitchen/pans', 'kitchen/pans/small']);

    const nested = [
      {
        slug: 'kitchen',
        name: 'Kitchen',
        children: [{ slug: 'lids', name: 'Lids', children: [{ slug: 'glass', name: 'Glass' }] }],
      },
    ];
    expect(await importText(database, JSON.stringify(nested))).toMatchObject({ created: 2, unchanged: 1, faults: [] });
    expect(await tree()).toEqual([
      'kitchen',
      'kitchen/lids',
      'kitchen/lids/glass',
      'kitchen/pans',
      'kitchen/pans/small',
    ]);
  });

  test('without their parent, or below themselves, are refused, and no others', async () => {
    await importText(database, 'slug,name,parentSlug\nroot,Root,\nbranch,Branch,root\n');
    const csv =
      'slug,name,parentSlug\na,A,b\nb,B,c\nc,C,a\nbelow-a,X,a\nlost,Lost,nowhere\nbelow-lost,X,lost\nfine,Fine,branch\nroot,Root,branch\nself,S,self\n';
    const { created, faults } = await importText(database, csv);
    expect(created).toBe(1);
    expect(faults.map(({ line }) => line).sort((one, other) => one - other)).toEqual([2, 3, 4, 5, 6, 7, 9, 10]);
    expect(await tree()).toEqual(['root', 'root/branch', 'root/branch/fine']);
  });

  const places = [
    'C',
    'C++',
    'C#',
    'Outdoor > Tools',
    'Outdoor Tools',
    'Café',
    'Cafe',
    'Kitchen > Pans',
    'Kitchen > Lids > Pans',
  ];
  const named = async () =>
    (
      await database.sql<{ way: string }>(`
        with recursive down (id, way) as (
          select id, name from category where parent_id is null
          union all select c.id, way || ' > ' || c.name from down join category c on c.parent_id = down.id)
        select way from down order by id`)
    ).map(({ way }) => way);
  const distinct = [
    ...places.slice(0, 3),
    'Outdoor',
    ...places.slice(3, 7),
    'Kitchen',
    'Kitchen > Pans',
    'Kitchen > Lids',
    'Kitchen > Lids > Pans',
  ];

  test.each([
    [
      'products',
      (some: readonly string[]) =>
        `slug,name,category,price\n${some.map((place) => `p${places.indexOf(place)},P,${place},1\n`).join('')}`,
    ],
    ['categories', (some: readonly string[]) => `path,position\n${some.map((place) => `${place},1\n`).join('')}`],
    [
      "Shopify's products",
      (some: readonly string[]) =>
        `Handle,Title,Type,Variant Price\n${some.map((place) => `p${places.indexOf(place)},P,${place},1\n`).join('')}`,
    ],
  ])(
    'in a file of %s are told apart by their place in the tree, whatever their slugs and the order of rows',
    async (_, file) => {
      expect((await importText(database, file(places))).faults).toEqual([]);
      expect((await named()).toSorted()).toEqual(distinct.toSorted());
      const before = await database.sql('select id, slug, name, parent_id from category order by id');
      const [{ inCategories } = { inCategories: 0 }] = await database.sql<{ inCategories: number }>(
        'select count(distinct category_id)::int as "inCategories" from product',
      );
      expect([0, places.length]).toContain(inCategories);
      for (const order of [places, places.toReversed()]) {
        const again = await importText(database, file(order));
        expect(again).toMatchObject({ created: 0, changed: 0, createdCategories: 0, faults: [] });
        expect(await database.sql('select id, slug, name, parent_id from category order by id')).toEqual(before);
      }
      expect(
        (await database.sql(`select slug from category where name like 'C%' order by id`)).map(({ slug }) => slug),
      ).toEqual(['c', 'c-2', 'c-3', 'cafe', 'cafe-2']);
    },
  );

  test('of a file with slugs and of one with names meet, in one file too', async () => {
    const csv = 'slug,name,path\nhob,Kitchen,\n,,Kitchen > Pans\ncook,Kitchen,\n,,C#\nc,C,\n';
    expect(await importText(database, csv)).toMatchObject({ created: 5, createdCategories: 0, faults: [] });
    expect(await tree()).toEqual(['c', 'c-2', 'cook', 'hob', 'hob/kitchen-pans']);
    expect(await importText(database, csv)).toMatchObject({ created: 0, changed: 0, unchanged: 5, faults: [] });
    const products = 'slug,name,category,price\na,A,Kitchen > Pans,1\nb,B,c#,1\n';
    expect(await importText(database, products)).toMatchObject({ created: 2, createdCategories: 0, faults: [] });
  });

  test('nested without slugs are told apart too', async () => {
    const nested = [
      { name: 'Languages', children: [{ name: 'C' }, { name: 'C++', children: [{ name: 'C' }] }, { name: 'C#' }] },
      { name: 'C', children: [{ name: 'C' }] },
    ];
    expect(await importText(database, JSON.stringify(nested))).toMatchObject({ created: 7, faults: [] });
    expect((await named()).toSorted()).toEqual(
      [
        'C',
        'C > C',
        'Languages',
        'Languages > C',
        'Languages > C#',
        'Languages > C++',
        'Languages > C++ > C',
      ].toSorted(),
    );
    expect(await importText(database, JSON.stringify(nested))).toMatchObject({ created: 0, changed: 0, unchanged: 7 });
  });

  test("of Best Buy's open data are told apart by their ids", async () => {
    const rows = [
      {
        id: 'b2',
        name: 'Cables',
        path: [
          { id: 'a1', name: 'Audio' },
          { id: 'b2', name: 'Cables' },
        ],
        subCategories: [],
      },
      {
        id: 'b3',
        name: 'Cables',
        path: [
          { id: 'a2', name: 'Video' },
          { id: 'b3', name: 'Cables' },
        ],
        subCategories: [],
      },
      { id: 'a1', name: 'Audio', path: [{ id: 'a1', name: 'Audio' }], subCategories: [{ id: 'b2', name: 'Cables' }] },
      {
        id: 'x',
        name: null,
        path: [
          { id: 'a1', name: 'Audio' },
          { id: 'x', name: null },
        ],
        subCategories: [],
      },
    ];
    const { created, createdCategories, faults, format } = await importText(database, JSON.stringify(rows));
    expect({ created, createdCategories, format: format.name }).toEqual({
      created: 3,
      createdCategories: 1,
      format: 'bestbuy-categories',
    });
    expect(faults).toEqual([{ line: 1, column: 'name', value: '', reason: 'is missing, and the category "x" is new' }]);
    expect(await tree()).toEqual(['audio-a1', 'audio-a1/cables-b2', 'video-a2', 'video-a2/cables-b3']);
  });
});

test('a product that names a category by a slug which is not there is refused', async () => {
  await importText(database, 'slug,name\npans,Pans\n');
  const csv = 'slug,name,price,categorySlug\na,A,1,pans\nb,B,1,pots\n';
  const { created, faults } = await importText(database, csv);
  expect(created).toBe(1);
  expect(faults).toEqual([{ line: 3, column: 'categorySlug', value: 'pots', reason: 'is the slug of no category' }]);
});

describe('notices', () => {
  test('are found again by title and start, and keep the views that were counted', async () => {
    const csv = `title,content,type,level,pinned,startsAt,endsAt,viewCount
Sale,Half price,promotion,urgent,yes,2026-01-01T00:00:00Z,2026-02-01,10
Sale,Again,promotion,,no,2026-06-01T00:00:00Z,,
`;
    expect(await importText(database, csv)).toMatchObject({ created: 2, faults: [] });
    await database.sql('update notice set view_count = view_count + 5');
    expect(await importText(database, csv)).toMatchObject({ created: 0, changed: 0, unchanged: 2 });
    const changed = csv.replace('Half price', 'A third off');
    expect(await importText(database, changed)).toMatchObject({ created: 0, changed: 1, unchanged: 1 });
    expect(await database.sql('select content, type, level, pinned, view_count from notice order by id')).toEqual([
      { content: 'A third off', type: 'PROMOTION', level: 'URGENT', pinned: true, view_count: '15' },
      { content: 'Again', type: 'PROMOTION', level: 'NORMAL', pinned: false, view_count: '5' },
    ]);
  });

  test('without a start are found by their title', async () => {
    expect(await importText(database, 'title,content\nStocktaking,Closed\n')).toMatchObject({ created: 1 });
    expect(await importText(database, 'title,content\nStocktaking,Open again\n')).toMatchObject({
      created: 0,
      changed: 1,
    });
  });

  test('that end before they start are refused, whichever of the two the file has', async () => {
    const json = [
      { title: 'A', content: 'x', startsAt: '2026-02-01', endsAt: '2026-01-01T00:00:00+01:00' },
      { title: 'B', content: 'x', endsAt: '2001-01-01' },
      { title: 'C', content: 'x', endsAt: '2901-01-01' },
    ];
    const { created, faults } = await importText(database, json.map((row) => JSON.stringify(row)).join('\n'));
    expect(created).toBe(1);
    expect(faults.map(({ line, column }) => [line, column])).toEqual([
      [1, 'endsAt'],
      [2, undefined],
    ]);
  });
});

test('a row that only the database refuses costs no other, however many there are', async () => {
  await database.sql(`alter table product add constraint house_rule check (name <> 'Forbidden')`);
  try {
    const rows = Array.from(
      { length: 300 },
      (_, index) => `p-${index},${index % 97 === 5 ? 'Forbidden' : 'Fine'},Pans,1`,
    );
    const { created, faults } = await importText(database, `slug,name,category,price\n${rows.join('\n')}\n`);
    expect(created).toBe(296);
    expect(faults.map(({ line }) => line)).toEqual([7, 104, 201, 298]);
    expect(faults[0]?.reason).toContain('house_rule');
  } finally {
    await database.sql('alter table product drop constraint house_rule');
  }
});

test('an answer to the commit that is lost is told as such, and the next run finds what is in', async () => {
  await using proxy = await startProxy(database);
  const csv = productCsv(3);
  await expect(importText(proxy, csv, { beforeCommit: proxy.loseNextAnswer })).rejects.toThrow(UnknownOutcomeError);
  expect(await importText(database, csv)).toMatchObject({ created: 0, changed: 0, unchanged: 3 });
});

test('in batches, each is committed by itself', async () => {
  const csv = ['slug,name,category,price', ...Array.from({ length: 25 }, (_, index) => `p-${index},P,Pans,1`)].join(
    '\n',
  );
  expect(await importText(database, csv, { batchRows: 10 })).toMatchObject({ created: 25 });
  expect(await database.sql('select count(distinct xmin::text)::int as transactions from product')).toEqual([
    { transactions: 3 },
  ]);
});
