import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../../database/kept-database.ts';
import { configOf, load } from './config.ts';
import { TABLES } from './tables.ts';

// Fills an empty database of Vendure with the products of one of ours, and makes the index of its search.

const ROWS = `
  select p.id, p.name, p.slug, p.subtitle || ' ' || p.description as description, array_to_json(p.image_urls) as images,
    jsonb_build_object('Category', c.name) || p.attributes as facets, array_to_json(p.option_names) as option_names,
    (select json_agg(json_build_object('sku', v.sku, 'values', v.option_values, 'cents', (v.price * 100)::int, 'stock', v.stock) order by v.position)
     from product_variant v where v.product_id = p.id) as variants
  from product p join category c on c.id = p.category_id`;
const SHOP =
  'id int, name text, slug text, description text, images json, facets json, option_names json, variants json';

const source = await connect(process.env.SOURCE_URL ?? '');
const { rows } = await source.query<{ facets: Record<string, string | boolean> }>(ROWS);
await source.end();

const vendure = load('@vendure/core');
const app = await vendure.bootstrap(configOf(true));
await load('@vendure/core/cli').populateInitialData(app, {
  defaultLanguage: 'en',
  defaultZone: 'Europe',
  countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
  // Ours knows no taxes.
  taxRates: [{ name: 'Standard', percentage: 0 }],
  shippingMethods: [],
  paymentMethods: [],
  collections: [],
});

const ctx = await app.get(vendure.RequestContextService).create({ apiType: 'admin' });
const named = (name: string) => {
  const code = name.toLowerCase().replaceAll(' ', '-');
  return { code, isPrivate: false, translations: [{ languageCode: 'en', name, slug: code, description: '' }] };
};
for (const name of new Set(rows.flatMap(({ facets }) => Object.keys(facets)))) {
  const facet = await app.get(vendure.FacetService).create(ctx, named(name));
  for (const value of new Set(rows.map(({ facets }) => String(facets[name])))) {
    const { id } = await app.get(vendure.FacetValueService).create(ctx, facet, named(value));
    if (name !== 'Category') continue;
    const filter = [
      { name: 'facetValueIds', value: JSON.stringify([id]) },
      { name: 'containsAny', value: 'false' },
    ];
    const filters = [{ code: 'facet-value-filter', arguments: filter }];
    await app.get(vendure.CollectionService).create(ctx, { ...named(value), filters });
  }
}

const database = await connect(process.env.DATABASE_URL ?? '');
const shop = `create temp table shop as select * from json_to_recordset($1) as row(${SHOP})`;
await database.query(shop, [JSON.stringify(rows)]);
for (const statement of TABLES) await database.query(statement);
await database.query('vacuum (analyze)');
// As the worker does it.
await app.get(vendure.JobQueueService).start();
await app.get(vendure.SearchService).reindex(ctx);
while ((await database.query('select from job_record where not "isSettled"')).rowCount !== 0) await delay(500);
await database.query('vacuum (analyze)');
await database.query('checkpoint');
await database.end();
await app.close();
