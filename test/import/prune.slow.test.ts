import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/errors.ts';
import { type RunOptions, runImport } from '../../src/import/import.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { createTestDatabase } from '../support/database.ts';
import { importInto, productCsv } from '../support/import.ts';
import { type Command, runCli } from '../support/process.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const database = await shared(createTestDatabase());
const folder = await shared(temporaryFolder());

// Ten products on sale, and a draft, which no file has.
beforeEach(async () => {
  await database.sql('truncate category, product, notice restart identity cascade');
  await importInto(database, productCsv(10));
  await importInto(database, 'slug,name,category,price,status\nplan,Plan,Pans,1,DRAFT\n');
});

const rejectsPath = path.join(folder.path, 'rejects.csv');

/** The command, as a process of its own. */
const runPrune = (...args: string[]): Command =>
  runCli(['import', '--prune', '--rejects', rejectsPath, ...args], { DATABASE_URL: database.url });

interface Pruned {
  readonly isRefused: boolean;
  readonly rejected: number;
  /** What the command would say. */
  readonly output: string;
}

/** What the command does, without a process. */
const prune = async (paths: readonly string[], options: Partial<RunOptions> = {}): Promise<Pruned> => {
  const said: string[] = [];
  const spies = (['log', 'error'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line) => void said.push(`${line}\n`)),
  );
  const config = readConfig({ DATABASE_URL: database.url });
  const log = pino({ level: 'silent' });
  const run = { kinds: IMPORT_KINDS, config, log, paths, isDryRun: false, isPruning: true, rejectsPath, ...options };
  try {
    const { rejected } = await runImport(run);
    return { isRefused: false, rejected, output: said.join('') };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { isRefused: true, rejected: 0, output: error.message };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};

const ALL_IMPORTED = { isRefused: false, rejected: 0 };

const offSale = async (): Promise<unknown[]> =>
  (await database.sql<{ slug: string }>(`select slug from product where status = 'OFF_SALE' order by id`)).map(
    ({ slug }) => slug,
  );

const lines = (count: number): string[] =>
  productCsv(10)
    .split('\n')
    .slice(0, count + 1);
const csvOf = (name: string, rows: readonly string[]): Promise<string> => folder.write(name, `${rows.join('\n')}\n`);

test('products that no file has go off sale with the import; nothing is deleted, and drafts stay drafts', async () => {
  const [header = '', ...rows] = lines(9);
  const first = await csvOf('first.csv', [header, ...rows.slice(0, 5), 'new,New,Pans,1']);
  const second = await csvOf('second.csv', [header, ...rows.slice(5)]);
  const notices = await csvOf('notices.csv', ['title,content', 'Sale,Now']);
  const pruned = await prune([first, notices, second]);
  expect(pruned).toMatchObject(ALL_IMPORTED);
  expect(pruned.output).toContain('products that no file has: 1 taken off sale\n');
  expect(await offSale()).toEqual(['p-10']);
  expect(await database.sql('select status, count(*)::int from product group by status order by status')).toEqual([
    { status: 'DRAFT', count: 1 },
    { status: 'ON_SALE', count: 10 },
    { status: 'OFF_SALE', count: 1 },
  ]);
  // What has gone is not counted again.
  const again = await prune([first, second]);
  expect(again).toMatchObject(ALL_IMPORTED);
  expect(again.output).toContain('products that no file has: 0 taken off sale\n');
});

test('more than a fifth go off sale only with --yes; else nothing is imported', async () => {
  const file = await csvOf('few.csv', [...lines(7), 'new,New,Pans,1']);
  const refused = runPrune(file);
  expect(await refused.ended).toBe(2);
  expect(refused.output()).toContain(
    '3 of 10 products on sale are in no file, and would be taken off sale. If that is right, say --yes. Nothing was imported.',
  );
  expect(await database.sql(`select from product where slug = 'new'`)).toEqual([]);
  expect(await offSale()).toEqual([]);

  const tried = runPrune('--dry-run', file);
  expect(await tried.ended, tried.output()).toBe(0);
  expect(tried.output()).toContain('dry run, nothing is stored: products that no file has: 3 taken off sale');
  expect(await offSale()).toEqual([]);

  const agreed = runPrune('--yes', file);
  expect(await agreed.ended, agreed.output()).toBe(0);
  expect(await offSale()).toEqual(['p-8', 'p-9', 'p-10']);
});

test('with a rejected row nothing goes off sale; with --yes, not the product of that row', async () => {
  const rows = lines(9).map((line) => (line.startsWith('p-3,') ? 'p-3,P 3,Pans,cheap' : line));
  const file = await csvOf('rejected.csv', [...rows, 'new,New,Pans,1']);
  const pruned = await prune([file]);
  expect(pruned).toMatchObject({ rejected: 1 });
  expect(pruned.output).toContain('Nothing was taken off sale, because some rows were rejected');
  expect(await offSale()).toEqual([]);
  expect(await database.sql(`select slug from product where slug = 'new'`)).toHaveLength(1);

  const agreed = await prune([file], { isAgreed: true });
  expect(agreed).toMatchObject({ rejected: 1 });
  expect(await offSale()).toEqual(['p-10']);
});

test('it works with --key sku', async () => {
  await database.sql('truncate product cascade');
  const rows = Array.from({ length: 6 }, (_, index) => `${index},N,C,1`);
  await importInto(database, `sku,name,category,price\n${rows.join('\n')}\n`, { key: 'sku' });
  const bySku = runPrune(
    '--key',
    'sku',
    await csvOf('skus.csv', ['sku,price', ...rows.slice(0, 5).map((row) => `${row[0]},2`)]),
  );
  expect(await bySku.ended, bySku.output()).toBe(0);
  expect(await offSale()).toEqual(['n-6']);
});

test('variants that no file has go where a file says variants, and their product is in one', async () => {
  const rows = Array.from(
    { length: 10 },
    (_, index) => `p-${index + 1},Size=S,S${index},1\np-${index + 1},Size=L,L${index},1`,
  );
  const [header = '', ...variants] = ['product,options,sku,price', ...rows.join('\n').split('\n')];
  await importInto(database, [header, ...variants].join('\n'));
  const count = () => database.sql('select count(*)::int from product_variant').then(([row]) => row?.count);

  const products = await csvOf('products.csv', lines(9));
  const alone = await prune([products]);
  expect(alone).toMatchObject(ALL_IMPORTED);
  expect(alone.output).not.toContain('deleted');
  expect(await count()).toBe(20);

  const both = await prune([products, await csvOf('variants.csv', [header, ...variants.slice(0, 17)])]);
  expect(both).toMatchObject(ALL_IMPORTED);
  expect(both.output).toContain('variants that no file has: 1 deleted\n');
  // The tenth product is off sale.
  expect(await count()).toBe(19);

  const few = await prune([products, await csvOf('few-variants.csv', [header, ...variants.slice(0, 9)])]);
  expect(few).toMatchObject({ isRefused: true });
  expect(few.output).toContain('8 of 17 variants are in no file, and would be deleted. If that is right, say --yes.');
  expect(await count()).toBe(19);
});

const fileOfVariant = (slug: string, more: object = {}) =>
  folder.write(
    `${slug}.json`,
    JSON.stringify([
      {
        ...{ slug, name: slug, category: 'C', optionNames: ['Size'], ...more },
        variants: [{ sku: 'V', optionValues: ['S'], price: 1 }],
      },
    ]),
  );
const owners = () =>
  database.sql(
    'select slug, status from product_variant v join product p on p.id = product_id where v.sku is not null',
  );

test('variants give their skus to those of another product, if no file so far has theirs', async () => {
  const products = await csvOf('products.csv', lines(10));
  const [old, renamed] = [await fileOfVariant('old'), await fileOfVariant('new')];
  await importInto(database, await readFile(old));
  const both = await prune([products, old, renamed]);
  expect(both).toMatchObject({ rejected: 1 });
  expect(await owners()).toEqual([{ slug: 'old', status: 'ON_SALE' }]);
  const one = await prune([products, renamed]);
  expect(one).toMatchObject(ALL_IMPORTED);
  expect(await owners()).toEqual([{ slug: 'new', status: 'ON_SALE' }]);
  expect(await database.sql(`select status from product where slug = 'old'`)).toEqual([{ status: 'OFF_SALE' }]);
});

test.each(['is new', 'is a draft', 'is a draft, and in no file'])(
  'variants stay those of a product that %s',
  async (how) => {
    const products = await csvOf('products.csv', lines(10));
    const status = how === 'is new' ? 'ON_SALE' : 'DRAFT';
    const old = await fileOfVariant('old', { status });
    if (status === 'DRAFT') await importInto(database, await readFile(old));
    const files = [products, old].slice(0, how.endsWith('no file') ? 1 : 2);
    expect(await prune([...files, await fileOfVariant('new')])).toMatchObject({ rejected: 1 });
    expect(await owners()).toEqual([{ slug: 'old', status }]);
  },
);

test('without a file of products it is refused', async () => {
  const refused = await prune([await csvOf('categories.csv', ['path', 'Kitchen > Pots'])]);
  expect(refused).toMatchObject({ isRefused: true });
  expect(refused.output).toContain('--prune needs a file of products: there was none.');
  expect(await database.sql(`select from category where slug = 'kitchen'`)).toEqual([]);
  expect(await offSale()).toEqual([]);
});
