#!/bin/sh
# PGlite gives an int8 as a number or as a BigInt, row by row, by its value
#
# Expected: a column has one type in JavaScript. node-postgres gives every int8 as a string; a driver
#   that knows better gives a BigInt each time, or a number each time.
# Happens: up to 2^53 - 1 it is a number, beyond it a BigInt, in one column of one answer. What works with
#   one fails with the other: `JSON.stringify` and `+ 1` throw a TypeError, and `===` to the same value as
#   a number is false.
# Matters: PGlite stands in for a server in tests, whose ids are small; snowflake ids, xid8 casts and
#   sums over int8 are large where it counts.
# Versions: @electric-sql/pglite 0.5.17 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> 9007199254740991 number, id + 1 = 9007199254740992, JSON {"id":9007199254740991}
#> 9007199254740992 bigint, id + 1: TypeError, JSON: TypeError
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @electric-sql/pglite@0.5.17 >&2
cat >find.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';

const attempt = (label, work) => {
  try {
    return `${label} ${work()}`;
  } catch (error) {
    return `${label.replace(/ =$/, '')}: ${error.constructor.name}`;
  }
};
const database = await PGlite.create();
const { rows } = await database.query('select 9007199254740991 + more::int8 id from generate_series(0, 1) more');
for (const { id } of rows) {
  const sum = attempt('id + 1 =', () => id + 1);
  console.log(`${id} ${typeof id}, ${sum}, ${attempt('JSON', () => JSON.stringify({ id }))}`);
}
await database.close();
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
