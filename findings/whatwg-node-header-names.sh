#!/bin/sh
# The Headers of @whatwg-node/fetch keep the capitals of names until one is appended or deleted
#
# Expected: iterating over `Headers` gives names in small letters, sorted (Fetch's standard; so do Node,
#   Deno, Bun and browsers). `Object.fromEntries(response.headers)['x-cache']` is a usual way to read them.
# Happens: the ponyfill's `Response`, which graphql-yoga and other servers make on Node, gives the names as
#   they were written in `new Response(..., { headers: { ... } })`, unsorted, and adds a `content-length`.
#   After one `append` or `delete` of any name all are in small letters, after a `set` they aren't. `get`
#   finds them in any case.
# Matters: a hook that copies an answer's headers into a store and looks for `x-cache` there finds it for
#   some answers; tests with the global `Response` pass. Ask with `get`.
# Versions: @whatwg-node/fetch 0.10.13 (of graphql-yoga 5.24.1) on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> @whatwg-node/fetch: X-Cache, Content-Type, content-length; fromEntries undefined, get HIT
#>   after set: X-Cache, Content-Type, content-length, b; after append: x-cache, content-type, content-length, b
#> Node's own: content-type, x-cache; fromEntries HIT, get HIT
#>   after set: b, content-type, x-cache; after append: b, content-type, x-cache
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @whatwg-node/fetch@0.10.13 >&2
cat >find.mjs <<'JS'
import { Response as Ponyfill } from '@whatwg-node/fetch';

const show = (label, Response) => {
  const build = () => new Response('text', { headers: { 'X-Cache': 'HIT', 'Content-Type': 'text/plain' } }).headers;
  const names = (headers) => [...headers.keys()].join(', ');
  const built = build();
  console.log(`${label}: ${names(built)}; fromEntries ${Object.fromEntries(built)['x-cache']}, get ${built.get('x-cache')}`);
  const changed = ['set', 'append'].map((change) => {
    const headers = build();
    headers[change]('B', '1');
    return `after ${change}: ${names(headers)}`;
  });
  console.log(`  ${changed.join('; ')}`);
};
show('@whatwg-node/fetch', Ponyfill);
show("Node's own", Response);
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
