#!/bin/sh
# Two arrays that every client shows alike are different for PostgreSQL, and a unique index takes both
#
# Expected: `text[]` values with the same items in the same order are equal, so that `unique (product, options)` keeps
#   a product from having {M} twice, and `options[1]` is the first option.
# Happens: an array knows the subscript of its first item, and `=`, `distinct`, `group by` and indexes compare it.
#   `update … set options[0] = 'M'` on an empty array makes `[0:0]={M}`. pg shows both as ["M"];
#   `options[1]` is null, `array_position` says 0, and `unnest`, `@>` and `&&` see no difference.
# Matters: the duplicate cannot be seen in any answer, and is found by none that looks the value up.
#   `check (array_lower(options, 1) = 1)` keeps it out (of an empty array that is null, which a check accepts).
# Versions: PGlite 0.5.14 (PostgreSQL 18), pg 8.23.1 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> pg: [{"id":1,"options":["M"]},{"id":2,"options":["M"]}]
#> as text: [{"id":1,"options":"{M}"},{"id":2,"options":"[0:0]={M}"}]
#> equal: [{"kinds":2,"equal":false}]
#> first: [{"id":1,"first":"M","place":1,"has":true},{"id":2,"first":null,"place":0,"has":true}]
#> an empty one: [{"id":3}]
#> refused by from_one
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 >&2
cat >find.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';

const db = new PGlite();
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0 });
await server.start();
const client = new pg.Client(`postgresql://postgres@${server.getServerConn()}/postgres`);
await client.connect();
const show = async (label, text) => console.log(`${label}: ${JSON.stringify((await client.query(text)).rows)}`);
await client.query(`create table variant (id int primary key, options text[] not null, unique (options))`);
await client.query(`insert into variant values (1, '{M}'), (2, '{}')`);
await client.query(`update variant set options[0] = 'M' where id = 2`);
await show('pg', 'select id, options from variant order by id');
await show('as text', 'select id, options::text from variant order by id');
await show('equal', 'select count(distinct options)::int as kinds, (select options from variant where id = 1) = (select options from variant where id = 2) as equal from variant');
await show('first', `select id, options[1] as first, array_position(options, 'M') as place, options @> '{M}' as has from variant order by id`);
await client.query(`alter table variant add constraint from_one check (array_lower(options, 1) = 1) not valid`);
await show('an empty one', `insert into variant values (3, '{}') returning id`);
await client.query(`update variant set options = '[0:0]={L}' where id = 3`).catch(({ constraint }) => console.log(`refused by ${constraint}`));
await client.end();
await server.stop();
await db.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
