import { execFileSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { handle, JSON_HEADERS } from '../support/gateway.ts';

// A copy of the project with models that the shop has not, exposed as Pothos' documentation writes it: https://pothos-graphql.dev/docs/plugins/prisma.

const MODELS = `
model Maker {
  id     Int     @id @default(autoincrement())
  name   String
  brands Brand[]
  @@map("maker")
}

model Brand {
  id      Int    @id @default(autoincrement())
  name    String
  makerId Int    @map("maker_id")
  maker   Maker  @relation(fields: [makerId], references: [id])
  fairs   Fair[]
  @@map("brand_of_shop")
}

model Fair {
  id     Int     @id @default(autoincrement())
  name   String
  brands Brand[]
}
`;

const TABLES = `
  create table maker (id int primary key, name text not null);
  create table brand_of_shop (id int primary key, name text not null, maker_id int not null references maker);
  create table "Fair" (id int primary key, name text not null);
  create table "_BrandToFair" ("A" int references brand_of_shop on delete cascade, "B" int references "Fair" on delete cascade, primary key ("A", "B"));
  insert into maker values (1, 'Maker');
  insert into brand_of_shop values (1, 'Brand', 1);
  insert into "Fair" values (1, 'Fair')`;

const WATCHED = ['maker', 'brand_of_shop', '"Fair"', '"_BrandToFair"'];

const ROOT = path.join(import.meta.dirname, '../..');
await mkdir(path.join(ROOT, 'data'), { recursive: true });
const copy = await mkdtemp(path.join(ROOT, 'data/added-model-'));
afterAll(() => rm(copy, { recursive: true }));
for (const name of ['src', 'prisma', 'packaging', 'package.json'])
  await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
await appendFile(path.join(copy, 'prisma/schema.prisma'), MODELS);
execFileSync(process.execPath, [path.join(copy, 'packaging/generate-client.ts')]);

const { readConfig } = await import(`${copy}/src/config/config.ts`);
const { builder } = await import(`${copy}/src/graphql/builder.ts`);
const { createGateway } = await import(`${copy}/src/gateway.ts`);

// biome-ignore lint/suspicious/noExplicitAny: its types are made of the models, which are there only now
type Fields = any;
const LISTED = { extensions: { assumedSize: 10 } };

builder.prismaObject('Maker', {
  fields: (t: Fields) => ({ name: t.exposeString('name'), brands: t.relation('brands', LISTED) }),
});
builder.prismaObject('Brand', {
  fields: (t: Fields) => ({
    name: t.exposeString('name'),
    maker: t.relation('maker'),
    fairs: t.relation('fairs', LISTED),
  }),
});
builder.prismaObject('Fair', { fields: (t: Fields) => ({ name: t.exposeString('name') }) });
builder.queryFields((t: Fields) => ({
  brand: t.prismaField({
    type: 'Brand',
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query: object, _: unknown, { id }: { id: number }, { prisma }: Fields) =>
      prisma.brand.findUnique({ ...query, where: { id } }),
  }),
  makers: t.prismaField({
    ...LISTED,
    type: ['Maker'],
    resolve: (query: object, _: unknown, __: unknown, { prisma }: Fields) => prisma.maker.findMany(query),
  }),
}));

/** A gateway of the copy on a database with its tables. @param watched those that its migration watches */
const openShop = async (watched: readonly string[]) => {
  const database = await createTestDatabase();
  await database.sql(TABLES);
  for (const table of watched) await database.sql('select vitrine_watch($1)', [table]);
  const gateway = await createGateway(readConfig({}), { url: database.url }, pino({ level: 'silent' }));
  return {
    sql: database.sql,
    ask: async (selection: string) => {
      const body = JSON.stringify({ query: `{ ${selection} }` });
      const response = await handle(gateway.app, { method: 'POST', target: '/graphql', headers: JSON_HEADERS, body });
      const { 'cache-status': status, 'cache-control': cacheControl } = response.headers;
      return { text: Buffer.from(response.body as string, 'latin1').toString(), status, cacheControl };
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await database[Symbol.asyncDispose]();
    },
  };
};

const CASES: [string, string, string, string][] = [
  ['one row', 'brand(id: 1) { name }', `update brand_of_shop set name = 'Other'`, '{"brand":{"name":"Other"}}'],
  ['a list', 'makers { name }', `insert into maker values (2, 'New')`, '{"name":"New"}'],
  ['a relation', 'brand(id: 1) { maker { name } }', `update maker set name = 'Else'`, '{"name":"Else"}'],
  ['a relation of many', 'makers { brands { name } }', `insert into brand_of_shop values (2, 'More', 1)`, '"More"'],
  ['many to many', 'brand(id: 1) { fairs { name } }', 'insert into "_BrandToFair" values (1, 1)', '[{"name":"Fair"}]'],
  ['what is gone', 'brand(id: 1) { name }', 'delete from brand_of_shop', '{"brand":null}'],
];

describe.each(CASES)('%s', (_, selection, statement, expected) => {
  test('is kept, and shown as soon as products are, where its tables are watched', async () => {
    await using shop = await openShop(WATCHED);
    const isHit = async (): Promise<boolean> => (await shop.ask(selection)).status === 'vitrine; hit';
    await expect.poll(isHit).toBe(true);
    await shop.sql(statement);
    await expect.poll(async () => (await shop.ask(selection)).text).toContain(expected);
    await expect.poll(isHit).toBe(true);
  });

  test('is never kept where they are not', async () => {
    await using shop = await openShop([]);
    for (let time = 0; time < 3; time += 1)
      expect(await shop.ask(selection)).toMatchObject({
        status: 'vitrine; fwd=miss',
        cacheControl: 'public, max-age=0, stale-while-revalidate=0',
      });
    await shop.sql(statement);
    await expect.poll(async () => (await shop.ask(selection)).text).toContain(expected);
  });
});

test('an answer is not kept either where one of its tables is not watched', async () => {
  await using shop = await openShop(['brand_of_shop']);
  const statuses = async (selection: string) => [
    (await shop.ask(selection)).status,
    (await shop.ask(selection)).status,
  ];
  await expect.poll(() => statuses('brand(id: 1) { name }')).toContain('vitrine; hit');
  expect(await statuses('brand(id: 1) { name maker { name } }')).toEqual(['vitrine; fwd=miss', 'vitrine; fwd=miss']);
});

test.for<[string, string, string]>([
  ['a view', 'create view shown as select * from maker', 'shown'],
  ['a parent', 'create table shown (id int); create table child () inherits (shown)', 'shown'],
  [
    'a partition',
    'create table whole (id int) partition by list (id); create table shown partition of whole default',
    'shown',
  ],
])('%s cannot be watched, and says so', async ([, statement, table]) => {
  await using database = await createTestDatabase();
  await database.sql(TABLES);
  await database.sql(statement);
  await expect(database.sql('select vitrine_watch($1)', [table])).rejects.toThrow(`${table} cannot be watched`);
});

test('a table that is watched twice, or is of the shop, stays as it is', async () => {
  await using database = await createTestDatabase();
  const triggers = () => database.sql('select tgrelid::regclass::text, tgname from pg_trigger order by 1, 2');
  const before = await triggers();
  for (const table of ['product', 'category', 'notice']) await database.sql('select vitrine_watch($1)', [table]);
  expect(await triggers()).toEqual(before);
});
