#!/bin/sh
# With `bufferUpdates`, a new collection of Vendure has no products, and a full reindex does not help
#
# Expected: the option of the search plugin is about its index: "updates to Products, ProductVariants and Collections will not
#   immediately trigger an update to the search index", which is what shops with many variants are told to switch on. What
#   the database says of a collection does not depend on it, and a reindex leaves nothing old in the index.
# Happens: the job that puts the products into a collection (`apply-collection-filters`) waits in the same buffer. The
#   collection has no products, and its products are in no collection: not in the index, and not in the tables either.
#   `reindex` indexes just that. Only the mutation `runPendingSearchIndexUpdates` fills the collection.
# Matters: a shop that is filled by an import and reindexed once shows empty categories, with no error and no job that waits in
#   the list of jobs. It also means that a filter which is changed has no effect until that mutation.
# Versions: @vendure/core 3.7.3, sql.js 1.13.0 on Node 20.20.2 and 24.21.0; the same with PostgreSQL 18.4
# Seen on 2026-11-29 (the script compares the lines after `#>` with what it prints):
#> bufferUpdates: false, 2 s after createCollection: 1 product in Tea; the kettle is in [Tea]
#> bufferUpdates: false, after reindex: 1 product in Tea; the kettle is in [Tea]
#> bufferUpdates: true, 2 s after createCollection: 0 products in Tea; the kettle is in []
#> bufferUpdates: true, after reindex: 0 products in Tea; the kettle is in []
#> bufferUpdates: true, after runPendingSearchIndexUpdates: 1 product in Tea; the kettle is in [Tea]
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @vendure/core@3.7.3 sql.js@1.13.0 >&2
cat >fill.mjs <<'JS'
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

const require = createRequire(import.meta.url);
const vendure = require('@vendure/core');
const { populateInitialData } = require('@vendure/core/cli');

const bufferUpdates = process.argv[2] === 'true';
const app = await vendure.bootstrap({
  apiOptions: { adminApiPath: 'admin', hostname: '127.0.0.1', port: 0, shopApiPath: 'shop' },
  authOptions: { superadminCredentials: { identifier: 'me', password: 'me' }, tokenMethod: 'bearer' },
  dbConnectionOptions: { synchronize: true, type: 'sqljs' },
  logger: new vendure.DefaultLogger({ level: vendure.LogLevel.Error }),
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [vendure.DefaultSearchPlugin.init({ bufferUpdates })],
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
const english = (name) => `translations: { languageCode: en, name: "${name}", slug: "${name.toLowerCase()}", description: "" }`;
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
await ask('admin', `mutation { createFacet(input: { code: "use", isPrivate: false, translations: { languageCode: en, name: "Use" },
  values: { code: "tea", translations: { languageCode: en, name: "Tea" } } }) { id } }`);
await ask('admin', `mutation { createProduct(input: { facetValueIds: [1], ${english('Kettle')} }) { id } }`);
await ask('admin', `mutation { createProductVariants(input: { productId: 1, sku: "K", price: 1000,
  translations: { languageCode: en, name: "Kettle" } }) { id } }`);
await ask('admin', `mutation { createCollection(input: { ${english('Tea')}, filters: { code: "facet-value-filter",
  arguments: [{ name: "facetValueIds", value: "[1]" }, { name: "containsAny", value: "false" }] } }) { id } }`);
const show = async (when) => {
  await delay(2000);
  const { collection, product } = await ask('shop',
    '{ collection(slug: "tea") { productVariants { totalItems } } product(slug: "kettle") { collections { name } } }');
  const count = collection.productVariants.totalItems;
  const names = product.collections.map(({ name }) => name);
  console.log(`bufferUpdates: ${bufferUpdates}, ${when}: ${count} product${count === 1 ? '' : 's'} in Tea; the kettle is in [${names}]`);
};
await show('2 s after createCollection');
await ask('admin', 'mutation { reindex { id } }');
await show('after reindex');
if (bufferUpdates) {
  await ask('admin', 'mutation { runPendingSearchIndexUpdates { success } }');
  await show('after runPendingSearchIndexUpdates');
}
await app.close();
JS
export VENDURE_DISABLE_TELEMETRY=true
node fill.mjs false >seen
node fill.mjs true >>seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
