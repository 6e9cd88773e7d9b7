import { type Catalogue, fillStatements } from './catalogue.ts';
import { connect } from './kept-database.ts';

const ROWS_AT_ONCE = 25_000;

/** Fills empty tables, products by two connections. @param settings of both, as SQL. @default none */
export const fillCatalogue = async (url: string, catalogue: Catalogue, settings = ''): Promise<void> => {
  const [categories = '', products = '', notices = ''] = fillStatements(catalogue);
  const [range = '', last] = /generate_series\(1, (\d+)\)/.exec(products) ?? [];
  const parts = Array.from({ length: Math.ceil(Number(last) / ROWS_AT_ONCE) }, (_, part) => {
    const from = part * ROWS_AT_ONCE + 1;
    return products.replace(range, `generate_series(${from}, ${Math.min(from + ROWS_AT_ONCE - 1, Number(last))})`);
  });
  const run = async (statements: Iterable<string>): Promise<void> => {
    const client = await connect(url);
    try {
      await client.query(settings);
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  // Products refer to categories.
  await run([categories, notices]);
  const left = parts.values();
  await Promise.all([run(left), run(left)]);
};
