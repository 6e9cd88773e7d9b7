import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { productCsv } from '../support/import.ts';
import { type Command, runCli, startGatewayProcess } from '../support/process.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wireTo } from '../support/wire.ts';

const folder = await shared(temporaryFolder());

/** Runs the command with its rejects in the temporary folder. */
const runImport = (url: string, args: readonly string[], rejects = 'rejects.csv'): Command =>
  runCli(['import', '--rejects', path.join(folder.path, rejects), ...args], { DATABASE_URL: url });

const countProducts = async (database: TestDatabase): Promise<number> => {
  const [row] = await database.sql<{ count: number }>('select count(*)::int as count from product');
  return row?.count ?? -1;
};

test('the exit code is 0 if every row was imported, 1 if some were rejected, 2 if none was imported', async () => {
  await using database = await createTestDatabase();
  const good = await folder.write('good.csv', productCsv(3));
  const mixed = await folder.write(
    'mixed.csv',
    'slug,name,category,price,stock,rating\nx,"X, x",Pans,1,5,5\ny,"Y, y",Pans,"a ""lot""",some,5\n',
  );
  const bad = await folder.write('bad.csv', 'slug,name,category,price\nz,Z,Pans,-1\n');

  const first = runImport(database.url, [good]);
  expect(await first.ended, first.output()).toBe(0);
  expect(first.output()).toContain('products (products, CSV): 3 new, 0 changed, 0 unchanged; 1 category created');

  const second = runImport(database.url, [good, mixed], 'second.csv');
  expect(await second.ended, second.output()).toBe(1);
  expect(second.output()).toContain('columns not used: rating');
  expect(second.output()).toContain('1 row was rejected: see ');
  expect(await readFile(path.join(folder.path, 'second.csv'), 'utf8')).toBe(
    `file,line,record,column,value,reason\n${mixed},3,,price,"a ""lot""",must be an amount such as 19.90\n${mixed},3,,stock,some,must be a whole number from 0 to 2147483647\n`,
  );
  expect(await countProducts(database)).toBe(4);

  const cutFile = await folder.write('cut.csv', `${productCsv(2)}\np-3,P 3,Pa`);
  const [none, cut, missing, away] = [
    runImport(database.url, [bad], 'bad-rejects.csv'),
    runImport(database.url, [cutFile], 'cut-rejects.csv'),
    runImport(database.url, [good, path.join(folder.path, 'nowhere.csv')]),
    runCli(['import', good], { DATABASE_URL: 'postgresql://x:secret@127.0.0.1:1/x', DATABASE_WAIT_MS: '0' }),
  ];
  expect(await none.ended).toBe(2);
  expect(await cut.ended).toBe(1);
  expect(cut.output()).toContain('cut.csv:4: has 3 columns, but the first row names 4: the file may be cut off');
  expect(await missing.ended).toBe(2);
  expect(missing.output()).toMatch(/^There is no file .*nowhere.csv\.\n$/);
  expect(await away.ended).toBe(2);
  expect(away.output()).toMatch(/^The database cannot be reached: .*ECONNREFUSED.*\n$/);
});

test('the options say what the cells of another shop mean', async () => {
  await using database = await createTestDatabase();
  const file = await folder.write(
    'shop.csv',
    'An export of 27 November;;;;\nTitel;kinds;price;online;tags\nÖl;Food/Oils,Food;1;1;"a;b,c"\nMühle;;2;0;\n',
  );
  const separators = ['--list-separator', ',', '--path-separator', '/', '--header-line', '2'];
  const map = ['--map', 'name=Titel,category=kinds', '--map', 'status=online'];
  const command = runImport(database.url, [...separators, ...map, '--category', 'All, and more/Rest', file]);
  expect(await command.ended, command.output()).toBe(0);
  expect(
    await database.sql(`select p.slug, p.status, p.tags, c.slug as category
      from product p join category c on c.id = category_id order by p.id`),
  ).toEqual([
    { slug: 'ol', status: 'ON_SALE', tags: ['a;b', 'c'], category: 'food-oils' },
    { slug: 'muhle', status: 'OFF_SALE', tags: [], category: 'all-and-more-rest' },
  ]);
});

test('a dry run says what would be done, and does nothing', async () => {
  await using database = await createTestDatabase();
  const categories = await folder.write('dry-categories.csv', 'slug,name\npans,Pans\n');
  const products = await folder.write('dry-products.csv', 'slug,name,price,categorySlug\na,A,1,pans\n');
  const command = runImport(database.url, ['--dry-run', categories, products]);
  expect(await command.ended, command.output()).toBe(0);
  expect(command.output().match(/dry run, nothing is stored: .*: 1 new/g)).toHaveLength(2);
  expect(await database.sql('select from category')).toEqual([]);
});

test('the rejects of an earlier run are removed, and another file of that name is kept', async () => {
  await using database = await createTestDatabase();
  const bad = await folder.write('bad-price.csv', 'slug,name,category,price\nz,Z,Pans,-1\n');
  const good = await folder.write('good-price.csv', productCsv(1));
  const first = runImport(database.url, [bad], 'own.csv');
  expect(await first.ended).toBe(2);
  expect(await readFile(path.join(folder.path, 'own.csv'), 'utf8')).toContain('must not be negative');
  const second = runImport(database.url, [good], 'own.csv');
  expect(await second.ended, second.output()).toBe(0);
  await expect(stat(path.join(folder.path, 'own.csv'))).rejects.toThrow('ENOENT');

  const third = runImport(database.url, [good], 'good-price.csv');
  expect(await third.ended).toBe(2);
  expect(third.output()).toMatch(/good-price\.csv is no list of rejected rows, and is kept\./);
  expect(await readFile(good, 'utf8')).toBe(productCsv(1));
});

test('options say how a foreign file is read, and no message has escape codes', async () => {
  await using database = await createTestDatabase();
  const file = await folder.write(
    'listings.csv',
    'title,final_price,kind\nLamp,"1.299,90",Lamps\n\u001b[31mRed lamp,cheap\u001b[0m,Lamps\n',
  );
  const command = runImport(database.url, [
    ...['--map', 'name=title,price=final_price', '--map', 'category=kind'],
    ...['--decimal', ',', '--stock', '4', file],
  ]);
  expect(await command.ended, command.output()).toBe(1);
  expect(command.output()).toContain('listings.csv:3, final_price: must be an amount such as 19,90');
  expect(command.output()).not.toContain('\u001b');
  expect(await database.sql('select price, stock from product')).toEqual([{ price: '1299.90', stock: 4 }]);
});

test('standard input is read with -', async () => {
  await using database = await createTestDatabase();
  const command = runImport(database.url, ['-', '--currency', 'eur']);
  command.child.stdin?.end(productCsv(2));
  expect(await command.ended, command.output()).toBe(0);
  expect(await database.sql('select distinct currency from product')).toEqual([{ currency: 'EUR' }]);
});

describe('an import that is held up by another writer', () => {
  /** An import that has written some thousand rows, and waits for one that another writer has locked. */
  const stuck = async (
    database: TestDatabase,
    url: string,
    use: (command: Command, client: pg.Client) => Promise<void>,
  ) => {
    await database.sql(`insert into category (name, slug) values ('Pans', 'pans') on conflict do nothing`);
    await database.sql(`insert into product (category_id, name, slug, price) values (1, 'Mine', 'p-6000', 1)`);
    const client = new pg.Client(database.url);
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query(`begin; update product set stock = 1 where slug = 'p-6000'`);
      const command = runImport(url, [await folder.write('stuck.csv', productCsv(6000))]);
      await vi.waitUntil(
        async () => {
          const rows = await database.sql(
            `select from pg_stat_activity where application_name = 'vitrine import' and wait_event_type = 'Lock' and datname = current_database()`,
          );
          return rows.length > 0;
        },
        { timeout: 60_000, interval: 20 },
      );
      await use(command, client);
    } finally {
      await client.end();
    }
  };

  test('and ended by kill -9 leaves nothing behind, and succeeds when it is run again', async () => {
    await using database = await createTestDatabase();
    await stuck(database, database.url, async (command) => {
      command.child.kill('SIGKILL');
      expect(await command.ended).toBe('SIGKILL');
    });
    expect(await countProducts(database)).toBe(1);
    expect(await database.sql('select slug from category')).toEqual([{ slug: 'pans' }]);
    const again = runImport(database.url, [path.join(folder.path, 'stuck.csv')]);
    expect(await again.ended, again.output()).toBe(0);
    expect(again.output()).toContain('5999 new, 1 changed, 0 unchanged');
  });

  test('and ended by Ctrl-C says that nothing was imported', async () => {
    await using database = await createTestDatabase();
    await stuck(database, database.url, async (command) => {
      command.child.kill('SIGINT');
      expect(await command.ended).toBe(2);
      expect(command.output()).toMatch(/^Interrupted\. Nothing of .*stuck\.csv was imported\.$/m);
    });
    expect(await countProducts(database)).toBe(1);
  });

  test('and by a deadlock says that nothing was imported', async () => {
    await using database = await createTestDatabase();
    await database.sql(`insert into category (name, slug) values ('Pans', 'pans')`);
    await database.sql(`insert into product (category_id, name, slug, price) values (1, 'Mine', 'p-1', 1)`);
    await stuck(database, database.url, async (command, client) => {
      // The import has p-1 and waits for p-6000. It is the first to notice.
      await client.query(`set deadlock_timeout = '20s'`);
      await client.query(`update product set sales = 7 where slug = 'p-1'; commit`);
      expect(await command.ended, command.output()).toBe(2);
      expect(command.output()).toMatch(
        /^The database refused: deadlock detected\. Nothing of .*stuck\.csv was imported\.$/m,
      );
    });
  });

  test('makes a second import wait, which then finds the rows', async () => {
    await using database = await createTestDatabase();
    await stuck(database, database.url, async (command, client) => {
      const second = runImport(database.url, [path.join(folder.path, 'stuck.csv')], 'second-import.csv');
      await vi.waitUntil(() => second.output().includes('waiting for another import'), { timeout: 60_000 });
      await client.query('commit');
      expect(await command.ended, command.output()).toBe(0);
      expect(await second.ended, second.output()).toBe(0);
      expect(second.output()).toContain('0 new, 0 changed, 6000 unchanged');
    });
  });

  test('and loses the database says that nothing was imported', async () => {
    await using database = await createTestDatabase();
    await using wire = await wireTo(database);
    await stuck(database, wire.url, async (command) => {
      await wire.refuse();
      expect(await command.ended).toBe(2);
      expect(command.output()).toMatch(
        /^The database became unavailable: .*\. Nothing of .*stuck\.csv was imported\.$/m,
      );
    });
    expect(await countProducts(database)).toBe(1);
  });
});

test('a role that does not own the tables gets an error that says what it needs', async () => {
  await using database = await createTestDatabase();
  const role = `reader_${Math.random().toString(36).slice(2)}`;
  await database.sql(`create role ${role} login password 'x'`);
  await database.sql(`grant select on category, product, product_words, notice, _prisma_migrations to ${role}`);
  const url = Object.assign(new URL(database.url), { username: role, password: 'x' }).href;
  try {
    const command = runImport(url, [await folder.write('roles.csv', productCsv(1))]);
    expect(await command.ended).toBe(2);
    expect(command.output()).toContain('permission denied');
    expect(command.output()).toContain('the role that owns the tables');
  } finally {
    await database.sql(`drop owned by ${role}; drop role ${role}`);
  }
});

test('without DATABASE_URL the embedded database is filled, also while a gateway runs on it, which shows it at once', async () => {
  const environment = { DATA_DIR: path.join(folder.path, 'data') };
  const run = (...args: string[]) =>
    runCli(['import', '--rejects', path.join(folder.path, 'r.csv'), ...args], environment);
  const before = run(await folder.write('before.csv', productCsv(1)));
  expect(await before.ended, before.output()).toBe(0);

  await using gateway = await startGatewayProcess(environment);
  const list = async (): Promise<string[]> => {
    const response = await fetch(`${gateway.url}/api/product/list?orderBy=price_asc`);
    return ((await response.json()) as { slug: string }[]).map(({ slug }) => slug);
  };
  expect(await list(), 'no demo catalogue beside it').toEqual(['p-1']);
  // What the API answers is what is there.
  const answer = await fetch(`${gateway.url}/api/product/list`);
  const back = run(await folder.write('back.json', await answer.text()));
  expect(await back.ended, back.output()).toBe(0);
  expect(back.output()).toContain('0 new, 0 changed, 1 unchanged');
  const during = run(await folder.write('during.csv', productCsv(3)));
  expect(await during.ended, during.output()).toBe(0);
  expect(await list()).toEqual(['p-1', 'p-2', 'p-3']);
  await expect(stat(path.join(folder.path, 'r.csv'))).rejects.toThrow('ENOENT');

  const well = runCli(['doctor'], environment);
  expect(await well.ended, well.output()).toBe(0);
  gateway.command.child.kill('SIGTERM');
  expect(await gateway.command.ended).toBe(0);
});
