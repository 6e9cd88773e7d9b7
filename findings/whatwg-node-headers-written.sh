#!/bin/sh
# A Request of @whatwg-node/fetch writes a content-length into the object that its headers came from
#
# Expected: `new Request(url, { headers, body })` copies the headers (Fetch's standard: "fill" a new list).
#   `headers` is as before, may be frozen, and may be a constant that all requests share.
# Happens: the ponyfill, which graphql-yoga, Hive and their `fetch` use on Node, keeps the object itself, and
#   adds the length of the first body to it. The next request with the same object keeps this length,
#   whatever its own body is: by `node:http` it is cut off there, or the server waits for the rest; Node's
#   `fetch` refuses to send it. With a frozen object the constructor throws.
# Matters: `const JSON_HEADERS = { 'content-type': 'application/json' }` in a test or a client breaks requests
#   that have nothing to do with the one that wrote to it, and only if that ran first. Give a copy.
# Versions: @whatwg-node/fetch 0.10.13 (of graphql-yoga 5.24.1) on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> @whatwg-node/fetch: after a body of 2 bytes {"content-type":"application/json","content-length":"2"}
#>   the next request, of 9 bytes, says 2; with a frozen object: TypeError
#> Node's own: after a body of 2 bytes {"content-type":"application/json"}
#>   the next request, of 9 bytes, says null; with a frozen object: fine
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @whatwg-node/fetch@0.10.13 >&2
cat >find.mjs <<'JS'
import { Request as Ponyfill } from '@whatwg-node/fetch';

const show = (label, Request) => {
  const headers = { 'content-type': 'application/json' };
  const ask = (text, init = headers) => new Request('http://shop.example/', { method: 'POST', headers: init, body: Buffer.from(text) });
  ask('{}');
  console.log(`${label}: after a body of 2 bytes ${JSON.stringify(headers)}`);
  const told = ask('{"a": 12}').headers.get('content-length');
  let frozen = 'fine';
  try {
    ask('{}', Object.freeze({ 'content-type': 'application/json' }));
  } catch (error) {
    frozen = error.name;
  }
  console.log(`  the next request, of 9 bytes, says ${told}; with a frozen object: ${frozen}`);
};
show('@whatwg-node/fetch', Ponyfill);
show("Node's own", Request);
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
