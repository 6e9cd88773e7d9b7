#!/bin/sh
# PostgreSQL: `doc @? '$.price > 100'` holds for every row, also for one without a price
#
# Expected: `@?` and `@@` both test a document against a path; `$.price > 100` with either finds the dear products.
# Happens: `@?` asks whether the path gives any item. A comparison that is not in a filter always gives one: true, false
#   or, where it cannot be made, null. So every row matches. `@@` asks for the value of the comparison, and given a
#   filter (`$.price ? (@ > 100)`), whose item is no boolean, it is null: no row matches. Neither is an error.
# Matters: the two are one key apart, and both forms of path are in every tutorial. A "has an expensive variant" filter
#   that lets everything pass looks right in a test whose rows all match.
# Versions: PGlite 0.5.17 (PostgreSQL 18.7) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> doc @? '$.price > 100': {"price": 150} {"price": 5} {"price": "on request"} {}
#> doc @? '$.price ? (@ > 100)': {"price": 150}
#> doc @? '$.price == 150': {"price": 150} {"price": 5} {"price": "on request"} {}
#> doc @@ '$.price > 100': {"price": 150}
#> doc @@ '$.price ? (@ > 100)': no row
#> doc @@ '$.price == 150': {"price": 150}
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.17 >&2
cat >find.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';

const db = new PGlite();
await db.exec('create table product (doc jsonb not null)');
const docs = ['{"price": 150}', '{"price": 5}', '{"price": "on request"}', '{}'];
for (const doc of docs) await db.query('insert into product values ($1)', [JSON.parse(doc)]);
for (const operator of ['@?', '@@']) {
  for (const path of ['$.price > 100', '$.price ? (@ > 100)', '$.price == 150']) {
    const { rows } = await db.query(`select doc::text from product where doc ${operator} '${path}'`);
    console.log(`doc ${operator} '${path}': ${rows.map(({ doc }) => doc).join(' ') || 'no row'}`);
  }
}
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
