#!/bin/sh
# Node's fetch, asked with an `If-None-Match` of one's own, never gets a 304 from Express or Koa
#
# Expected: a program that keeps a body with its ETag sends `fetch(url, { headers: { 'if-none-match': etag } })`, and
#   gets a 304 while nothing has changed, as it does with node:http and curl.
# Happens: by the Fetch standard ("HTTP-network-or-cache fetch") such a request is made with the cache mode `no-store`,
#   and one of that mode gets `Cache-Control: no-cache` and `Pragma: no-cache`. `fresh`, by which Express and Koa
#   decide, answers a request with `no-cache` by the whole body, whatever its ETag. With a `Cache-Control` of its own
#   (`max-age=0`) the program gets the 304.
# Matters: a server that asks another one so gets every body again, and each answer is right: nobody notices. Caches in
#   front that honour `no-cache` of requests go to the origin each time.
# Versions: express 5.2.1 with fresh 2.0.0, fetch of Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> node:http: 304, asked with cache-control undefined
#> fetch: 200, asked with cache-control no-cache
#> fetch with max-age=0: 304, asked with cache-control max-age=0
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

let asked;
const app = express();
app.get('/', (request, response) => {
  asked = request.headers['cache-control'];
  response.set('ETag', '"7"').send('products');
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const show = (label, status) => console.log(`${label}: ${status}, asked with cache-control ${asked}`);

const [response] = await once(get(url, { agent: false, headers: { 'if-none-match': '"7"' } }), 'response');
response.resume();
show('node:http', response.statusCode);
for (const [label, headers] of [['fetch', {}], ['fetch with max-age=0', { 'cache-control': 'max-age=0' }]]) {
  const { status } = await fetch(url, { headers: { 'if-none-match': '"7"', connection: 'close', ...headers } });
  show(label, status);
}
server.close();
server.closeAllConnections();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
