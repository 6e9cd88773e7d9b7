import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { oneRow } from '../../src/database/connection.ts';
import { medianOf } from '../measure/median.ts';

/**
 * What the rows of the back office are written to: a table of the same columns that has a primary key alone; one that has our indexes, too, but no
 * triggers, checks and words; and ours.
 */
const SIDES = ['bare', 'plain', 'ours'] as const;
type Side = (typeof SIDES)[number];
type Table = 'product' | 'product_variant';

interface Cost {
  readonly cpuUs: number;
  readonly walBytes: number;
}

export interface WriteSample {
  readonly what: string;
  /** Of one statement. */
  readonly costs: Readonly<Record<Side, Cost>>;
}

interface Kind {
  readonly what: string;
  readonly of: Table;
  /** How many statements a round has. */
  readonly statements: number;
  /** Runs the statement of a number, which is another one each time. */
  readonly write: (client: pg.ClientBase, table: string, number: number) => Promise<unknown>;
}

const TABLES: readonly Table[] = ['product', 'product_variant'];

const COPIED = 10_000;

const ofOne = (of: Table, what: string, set: string, rows: number): Kind => ({
  what,
  of,
  statements: 500,
  // Knuth's multiplier spreads neighbouring numbers.
  write: (client, table, number) =>
    client.query({
      name: `${what} of ${table}`,
      text: `update ${table} set ${set} where id = $1`,
      values: [1 + ((number * 2654435761) % rows)],
    }),
});

/** @param copied rows for `COPY`, as text, whose ids follow those that are there and begin at `products` + 1 */
const kindsOf = (products: number, copied: string): Kind[] => [
  ofOne('product', 'new price', 'price = price + 0.01', products),
  ofOne('product', 'new stock', 'stock = stock + 1', products),
  ofOne('product', 'sale (sales and stock)', 'sales = sales + 1, stock = greatest(stock - 1, 0)', products),
  ofOne('product', 'new name', `name = 'Kettle no. ' || id || ' of ' || sales + stock`, products),
  {
    what: 'all prices in one statement',
    of: 'product',
    statements: 1,
    write: (client, table) => client.query(`update ${table} set price = price + 0.01`),
  },
  {
    what: `${COPIED / 1000},000 new products by COPY`,
    of: 'product',
    statements: 1,
    write: (client, table) => pipeline(Readable.from([copied]), client.query(from(`copy ${table} from stdin`))),
  },
  {
    what: 'a product deleted',
    of: 'product',
    statements: 500,
    write: (client, table, number) =>
      client.query({
        name: `delete of ${table}`,
        text: `delete from ${table} where id = $1`,
        values: [products + 1 + (number % COPIED)],
      }),
  },
  ofOne('product_variant', `a variant's new price`, 'price = price + 0.01', products),
  ofOne('product_variant', `a variant's new stock`, 'stock = stock + 1', products),
  {
    what: 'all prices of variants in one statement',
    of: 'product_variant',
    statements: 1,
    write: (client, table) => client.query(`update ${table} set price = price + 0.01`),
  },
];

/** On a core, in microseconds: https://www.kernel.org/doc/html/latest/scheduler/sched-stats.html. */
const cpuUsOf = (pid: number): number => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;

/**
 * What each kind of write costs, over one connection: a table of the same columns that has a primary key alone, and ours, in turn.
 * @param client of a database that holds that many products, with the ids from 1
 */
export const measureWrites = async (client: pg.Client, products: number, rounds: number): Promise<WriteSample[]> => {
  await client.query(`
    delete from product where id > ${products};
    set session_replication_role = replica;
    update product set option_names = '{Size}' where id <= ${products / 4};
    insert into product_variant (id, product_id, option_values, price, stock)
    select p.id * 4 - n, p.id, array['S' || n], p.price + n, 10 from product p, generate_series(0, 3) n where p.id <= ${products / 4};
    reset session_replication_role`);
  await client.query('vacuum (full, analyze) product');
  await client.query('vacuum (analyze) product_variant');
  for (const table of TABLES) await copyTable(client, table);
  const copied = await text(
    client.query(
      to(`copy (
        select (jsonb_populate_record(p, jsonb_build_object('id', id + ${products}, 'slug', 'copied-' || id))).*
        from product p where id <= ${COPIED} order by id) to stdout`),
    ),
  );
  const { pid } = await oneRow<{ pid: number }>(client, 'select pg_backend_pid() as pid');
  const walBytes = async (): Promise<number> =>
    Number((await client.query(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)).rows[0].bytes);

  const costOf = async ({ of, statements, write }: Kind, side: Side, first: number): Promise<Cost> => {
    const table = side === 'ours' ? of : `${side}_${of}`;
    const walBefore = await walBytes();
    const cpuBefore = cpuUsOf(pid);
    for (let number = first; number < first + statements; number += 1) await write(client, table, number);
    const cpuUs = cpuUsOf(pid) - cpuBefore;
    return { cpuUs: cpuUs / statements, walBytes: ((await walBytes()) - walBefore) / statements };
  };

  const kinds = kindsOf(products, copied);
  const costs = new Map(kinds.map((kind) => [kind, { bare: [] as Cost[], plain: [] as Cost[], ours: [] as Cost[] }]));
  // The first round makes the session know its plans and the pages have room, and counts for nothing.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [kind, ofSides] of costs) {
      for (const side of SIDES) {
        const cost = await costOf(kind, side, round * kind.statements);
        if (round > 0) ofSides[side].push(cost);
      }
    }
    await client.query(`
      delete from bare_product where id > ${products};
      delete from plain_product where id > ${products};
      delete from product where id > ${products}`);
    const copies = TABLES.flatMap((table) => [`bare_${table}`, `plain_${table}`, table]);
    await client.query(`vacuum product_words, ${copies}`);
  }
  const median = (all: readonly Cost[]): Cost => ({
    cpuUs: medianOf(all.map((cost) => cost.cpuUs)),
    walBytes: medianOf(all.map((cost) => cost.walBytes)),
  });
  return [...costs].map(([{ what }, { bare, plain, ours }]) => ({
    what,
    costs: { bare: median(bare), plain: median(plain), ours: median(ours) },
  }));
};

/** Makes the bare and the plain copy of a table. */
const copyTable = async (client: pg.Client, table: Table): Promise<void> => {
  // The types of the columns have checks, too (domains).
  const { rows: columns } = await client.query<{ column: string }>(
    `select format('%I %s', attname, case typtype when 'd' then format_type(typbasetype, typtypmod) else format_type(atttypid, atttypmod) end) as column
     from pg_attribute join pg_type t on t.oid = atttypid
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  const { options } = await oneRow<{ options: string }>(
    client,
    `select coalesce('with (' || array_to_string(reloptions, ', ') || ')', '') as options from pg_class where oid = $1::regclass`,
    [table],
  );
  for (const [copy, storage] of [
    [`bare_${table}`, ''],
    [`plain_${table}`, options],
  ]) {
    await client.query(`
      create table ${copy} (${columns.map(({ column }) => column)}, primary key (id)) ${storage};
      insert into ${copy} select * from ${table} order by id`);
  }
  const { rows: indexes } = await client.query<{ definition: string }>(
    `select regexp_replace(pg_get_indexdef(indexrelid), ' INDEX (\\S+) ON \\S+ ', format(' INDEX plain_\\1 ON plain_%s ', $1::text)) as definition
     from pg_index where indrelid = $1::regclass and not indisprimary`,
    [table],
  );
  for (const { definition } of indexes) await client.query(definition);
};
