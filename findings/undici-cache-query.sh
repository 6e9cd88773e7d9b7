#!/bin/sh
# undici's cache throws the stored GET of an address away when that address is asked with QUERY
#
# Expected: QUERY is a safe method (it only reads), as GET, HEAD and OPTIONS are. A cache forgets what it
#   has of an address after an unsafe one such as POST (RFC 9111, 4.4), and after no safe one.
# Happens: undici knows QUERY (its client takes a body with it and its parser has it in the list), and
#   its cache interceptor doesn't: after each QUERY the next GET goes to the server. OPTIONS leaves
#   the entry alone, as it should. The cache of HAProxy 2.6.12 does the same, Varnish 7.1.1 keeps the entry.
# Matters: where GET and QUERY of one path (`/graphql`) are mixed, as a client does that sends short
#   operations by GET and long ones by QUERY, nothing is ever answered from the cache.
# Versions: undici 7.30.2 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> GET 1, GET 1, OPTIONS 2, GET 1, QUERY 3, GET 4, GET 4, POST 5, GET 6
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund node@24.21.0 undici@7.30.2 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, interceptors, request } from 'undici';

let answers = 0;
const server = createServer((incoming, response) => {
  incoming.resume().on('end', () => {
    response.setHeader('Cache-Control', 'public, max-age=60');
    response.end(String(++answers));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const dispatcher = new Agent().compose(interceptors.cache());
const seen = [];
for (const method of ['GET', 'GET', 'OPTIONS', 'GET', 'QUERY', 'GET', 'GET', 'POST', 'GET']) {
  const body = method === 'QUERY' || method === 'POST' ? '{ products { id } }' : undefined;
  const { body: answer } = await request(`http://127.0.0.1:${server.address().port}/graphql`, { body, dispatcher, method });
  seen.push(`${method} ${await answer.text()}`);
}
console.log(seen.join(', '));
await dispatcher.close();
server.close();
JS
node_modules/.bin/node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
