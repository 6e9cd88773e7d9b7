#!/bin/sh
# PostgreSQL's json_to_recordset reads a list from the text "{M,Blue}" inside of JSON, where a list of JSON is meant
#
# Expected: a column of type text[] takes a JSON list, and refuses what is no list, as it refuses an object or a number
#   ("expected JSON array").
# Happens: a JSON string goes through the input function of the type instead. "{M,Blue}" becomes two values, an
#   unquoted null in it becomes NULL, and "Blue" fails with another error than a number does. `json_populate_record`
#   does the same.
# Matters: imports that hand rows of JSON to SQL: a text that somebody typed between braces, or an export that has
#   lists as PostgreSQL prints them, is taken apart without a word. Check the kind of the value (`json_typeof`) first.
# Versions: PostgreSQL 18.7 (npm @electric-sql/pglite 0.5.17); 15.20 of Debian 12 does the same. Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> ["M","Blue"]: ["M","Blue"]
#> "{M,Blue}": ["M","Blue"]
#> "{M,null,\"null\"}": ["M",null,"null"]
#> "Blue": malformed array literal: "Blue"
#> 5: expected JSON array
#> {"a":"M"}: expected JSON array
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @electric-sql/pglite@0.5.17 >&2
cat >find.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';

const postgres = await PGlite.create();
for (const value of [['M', 'Blue'], '{M,Blue}', '{M,null,"null"}', 'Blue', 5, { a: 'M' }]) {
  const sql = 'select list from json_to_recordset($1) as row(list text[])';
  const seen = await postgres.query(sql, [JSON.stringify([{ list: value }])]).then(
    ({ rows }) => JSON.stringify(rows[0].list),
    ({ message }) => message,
  );
  console.log(`${JSON.stringify(value)}: ${seen}`);
}
await postgres.close();
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
