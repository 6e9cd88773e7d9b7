#!/bin/sh
# Express never answers 304 where an ETag has a comma in it
#
# Expected: an `ETag: "7,de"` that a client sends back in `If-None-Match: "7,de"` is the same tag: a comma may stand
#   between the quotes (RFC 9110, section 8.8.3: any visible character but the quote itself).
# Happens: `fresh`, by which Express and Koa compare, splits the header at each comma, whatever is quoted: it looks for
#   `"7` and `de"`. The whole body is sent, each time. A tag of other characters, and a client that sends `*`, get a 304.
# Matters: tags that a program puts together of several versions, `"12,de,EUR"`, look right in both headers and save
#   nothing. Caches in front revalidate in vain, too.
# Versions: express 5.2.1 with fresh 2.0.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> "7-de": 304
#> "7,de": 200
#> W/"7,de": 200
#> "7,de" asked with *: 304
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund express@5.2.1 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { get } from 'node:http';
import express from 'express';

const app = express();
app.get('/', (request, response) => response.set('ETag', request.query.tag).send('products'));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const ask = async (tag, condition = tag) => {
  const path = `/?tag=${encodeURIComponent(tag)}`;
  const request = get({ host: '127.0.0.1', port, path, headers: { 'if-none-match': condition }, agent: false });
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
};
for (const tag of ['"7-de"', '"7,de"', 'W/"7,de"']) console.log(`${tag}: ${await ask(tag)}`);
console.log(`"7,de" asked with *: ${await ask('"7,de"', '*')}`);
server.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
