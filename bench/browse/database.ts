import type pg from 'pg';
import { connect, type KeptDatabase, LOAD_SETTINGS, openKeptDatabase } from '../database/kept-database.ts';

export const CATEGORIES = 200;
export const BRANDS = 2000;
export const TAGS = 5000;
export const MATERIALS = 40;
export const COLOURS = 25;
export const SIZES = ['XS', 'S', 'M', 'L', 'XL', 'XXL'];
/** Different words; the one of rank r is used as often as 1/r says (Zipf). */
export const WORDS = 40_000;

const ROWS_AT_ONCE = 20_000;

const SYLLABLES = 'ka lo mi ren sto vel ba du fin gra hes jo ken lum nar pos qui ros tam wen'.split(' ');

/** The word of a rank from 1: frequent words are short. */
export const wordOf = (rank: number): string => {
  let text = '';
  for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    text += SYLLABLES[rest % SYLLABLES.length];
  return text;
};

// Ranks whose logarithms are spread evenly are as frequent as 1/r.
const RANKS = (count: number): string => `
  (select string_agg(concat(s[1 + r % 20], case when r >= 20 then s[1 + r / 20 % 20] end, case when r >= 400 then s[1 + r / 400 % 20] end,
     case when r >= 8000 then s[1 + r / 8000 % 20] end), ' ')
   from (select exp(random() * ln(${WORDS}))::int as r from generate_series(1, ${count} + i * 0)) ranks)`;

const PRODUCTS = `
  insert into product (id, category_id, name, slug, subtitle, description, brand, tags, price, list_price, stock, sales, published_at, option_names, attributes)
  select i, 1 + floor(${CATEGORIES} * random() ^ 2)::int, ${RANKS(4)}, 'product-' || i, ${RANKS(6)}, ${RANKS(40)},
    'Brand ' || 1 + floor(${BRANDS} * random() ^ 2)::int,
    array(select 'tag ' || 1 + floor(${TAGS} * random() ^ 2)::int from generate_series(1, 3 + i * 0)),
    (100 + floor(exp(random() * 12))) / 100.0, case when random() < 0.2 then 3000 end, floor(random() * 10)::int, floor(1 / (random() + 0.00001))::int,
    timestamptz '2026-01-01Z' - random() * interval '1000 days', '{Size,Colour}',
    jsonb_build_object('Material', 'Material ' || 1 + floor(${MATERIALS} * random() ^ 2)::int, 'Weight', round((100 * random() ^ 2)::numeric, 1),
      'Series', 'Series ' || 1 + floor(2000 * random() ^ 2)::int, 'Country', 'Country ' || 1 + floor(50 * random() ^ 2)::int, 'Washable', random() < 0.5)
  from (select array['${SYLLABLES.join("', '")}'] as s) syllables, generate_series($1::int, $2::int) i`;

/** Three of each product, whose stock together is that of the product. */
const VARIANTS = `
  insert into product_variant (product_id, sku, barcode, option_values, price, stock, position)
  select p.id, 'SKU-' || p.id || '-' || n, 4000000000000 + p.id * 3 + n,
    array[(array['${SIZES.join("', '")}'])[1 + (p.id + n) % ${SIZES.length}], 'Colour ' || 1 + floor(${COLOURS} * random() ^ 2)::int],
    p.price + n - 1, (p.stock + n - 1) / 3, n
  from product p, generate_series(1, 3) n where p.id between $1 and $2`;

export interface BrowseDatabase extends KeptDatabase {
  readonly products: number;
}

export const openBrowseDatabase = async (
  serverUrl: string,
  products: number,
  { log, signal }: { readonly log: (line: string) => void; readonly signal: AbortSignal },
): Promise<BrowseDatabase> => {
  const name = `vitrine_browse_deep_${products}`;
  const fill = (client: pg.Client, url: string): Promise<void> => fillWith(client, url, products, signal);
  return { ...(await openKeptDatabase({ serverUrl, name, products, fill, log })), products };
};

const fillWith = async (client: pg.Client, url: string, products: number, signal: AbortSignal): Promise<void> => {
  await client.query(
    `insert into category (id, parent_id, name, slug) select n, case when n > 20 then 1 + n % 20 end, 'Category ' || n, 'category-' || n
     from generate_series(1, ${CATEGORIES}) n`,
  );
  const ranges = Array.from({ length: Math.ceil(products / ROWS_AT_ONCE) }, (_, n) => n * ROWS_AT_ONCE + 1).values();
  const insert = async (seed: number): Promise<void> => {
    const inserter = await connect(url);
    try {
      await inserter.query(`${LOAD_SETTINGS}; select setseed(${seed})`);
      for (const from of ranges) {
        signal.throwIfAborted();
        const range = [from, Math.min(from + ROWS_AT_ONCE - 1, products)];
        await inserter.query(PRODUCTS, range);
        await inserter.query(VARIANTS, range);
      }
    } finally {
      await inserter.end();
    }
  };
  await Promise.all([insert(0.1), insert(0.2)]);
  await client.query(`select setval(pg_get_serial_sequence('product', 'id'), ${products})`);
};
