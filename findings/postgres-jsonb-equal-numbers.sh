#!/bin/sh
# PostgreSQL: jsonb of 1.50 and of 1.5 are equal but have different texts, so `is distinct from` hides a change
#
# Expected: jsonb keeps either the number as it was written, as `json` does, or its value; equal documents read the same.
# Happens: a number is a `numeric` with its scale: it compares by value and is written with the zeros it came with. 1e3
#   is written 1000. `distinct`, `group by` and a unique index take the two for one and keep whichever came first.
# Matters: `on conflict … do update … where doc is distinct from excluded.doc`, the usual way not to rewrite rows that
#   have not changed, leaves the old text for ever; a hash of `doc::text` (an ETag, a comparison with the source)
#   differs from that of the source although the database says "equal".
# Versions: PGlite 0.5.17 (PostgreSQL 18.7) on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> stored: {"price": 1.5, "weight": 1000}
#> 1.50 instead of 1.5 writes no row
#> 1.51 instead of 1.5 writes {"price": 1.51, "weight": 1000}
#> equal, equal as texts: true, false
#> distinct of 1.50, 1.5, 1.500: 1
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.17 >&2
cat >find.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';

const db = new PGlite();
const value = async (sql) => Object.values((await db.query(sql)).rows[0] ?? {}).join(', ') || 'no row';
await db.exec('create table product (id int primary key, doc jsonb not null)');
await db.exec(`insert into product values (1, '{"price": 1.5, "weight": 1e3}')`);
const upsert = (doc) =>
  value(`insert into product values (1, '${doc}') on conflict (id) do update set doc = excluded.doc
    where product.doc is distinct from excluded.doc returning doc::text`);
console.log(`stored: ${await value('select doc::text from product')}`);
console.log(`1.50 instead of 1.5 writes ${await upsert('{"price": 1.50, "weight": 1e3}')}`);
console.log(`1.51 instead of 1.5 writes ${await upsert('{"price": 1.51, "weight": 1e3}')}`);
console.log(`equal, equal as texts: ${await value(`select a = b as equal, a::text = b::text as same from (select jsonb '1.50' a, jsonb '1.5' b)`)}`);
console.log(`distinct of 1.50, 1.5, 1.500: ${await value(`select count(distinct x) from (values (jsonb '1.50'), ('1.5'), ('1.500')) as t(x)`)}`);
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
