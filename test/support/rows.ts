import { randomUUID } from 'node:crypto';
import type { TestDatabase } from './database.ts';

// The back office writes plain SQL, so that defaults and triggers of the database take part; Prisma would fill in defaults of its own.

/** Column names and values, as the back office writes them. */
type Values = Readonly<Record<string, unknown>>;

type Sql = Pick<TestDatabase, 'sql'>;

const PAST = '2020-01-01T00:00:00Z';

const insert = async ({ sql }: Sql, table: string, values: Values): Promise<number> => {
  const names = Object.keys(values);
  const parameters = names.map((_, index) => `$${index + 1}`);
  const [row] = await sql<{ id: number }>(
    `insert into ${table} (${names}) values (${parameters}) returning id`,
    Object.values(values),
  );
  if (!row) throw new Error(`no row was inserted into ${table}`);
  return row.id;
};

/** A root category where the values say nothing else. Gives its id. */
export const insertCategory = (database: Sql, values: Values = {}): Promise<number> =>
  insert(database, 'category', { name: 'Category', slug: randomUUID(), ...values });

/** A visible product where the values say nothing else. Gives its id. */
export const insertProduct = (database: Sql, values: Values & { readonly category_id: number }): Promise<number> =>
  insert(database, 'product', { name: 'Product', slug: randomUUID(), price: '1.00', published_at: PAST, ...values });

/** A variant of a product. Gives its id. */
export const insertVariant = (
  database: Sql,
  values: Values & { readonly product_id: number; readonly price: string },
): Promise<number> => insert(database, 'product_variant', values);

/** A notice in effect where the values say nothing else. Gives its id. */
export const insertNotice = (database: Sql, values: Values = {}): Promise<number> =>
  insert(database, 'notice', { title: 'Notice', content: 'Content', starts_at: PAST, ...values });

/** A moment so many milliseconds from now by the database's clock, exact to the microsecond. */
export const momentFromNow = async ({ sql }: TestDatabase, milliseconds: number): Promise<string> => {
  const [row] = await sql<{ moment: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC' + $1 * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as moment`,
    [milliseconds],
  );
  if (!row) throw new Error('the database told no time');
  return row.moment;
};

/** How many milliseconds past a moment the database's clock is; negative before it. */
export const millisecondsSince = async ({ sql }: TestDatabase, moment: string): Promise<number> => {
  const [row] = await sql<{ ms: string }>(
    'select extract(epoch from clock_timestamp() - $1::timestamptz) * 1000 as ms',
    [moment],
  );
  return Number(row?.ms);
};
