#!/bin/sh
# http-cache-semantics doesn't read `Cache-Control: Public, Max-Age=60`
#
# Expected: the names in `Cache-Control` are read in capitals as in small letters (RFC 9111, 5.2), as those of
#   headers are.
# Happens: names are taken as they are written. `Max-Age=60` is unknown to it, so the answer is stale at
#   once, and every use asks the origin. undici's cache reads the same header as it is meant.
# Matters: an origin of another make that writes capitals is never cached by got, by npm and by whatever
#   else builds on this package, and nothing says so.
# Versions: http-cache-semantics 4.3.0, undici 7.30.2 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> public, max-age=60: fresh for 60 s; undici asks 1 of 2 times
#> Public, Max-Age=60: fresh for 0 s; undici asks 1 of 2 times
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund http-cache-semantics@4.3.0 undici@7.30.2 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import CachePolicy from 'http-cache-semantics';
import { Agent, interceptors, request } from 'undici';

let asked = 0;
let control;
const server = createServer((_request, response) => {
  asked++;
  response.setHeader('Cache-Control', control).end('text');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const dispatcher = new Agent().compose(interceptors.cache());
for (control of ['public, max-age=60', 'Public, Max-Age=60']) {
  const url = `http://127.0.0.1:${server.address().port}/${control.length}${control[0]}`;
  const policy = new CachePolicy(
    { headers: {}, method: 'GET', url },
    { headers: { 'cache-control': control }, status: 200 },
  );
  asked = 0;
  for (let time = 0; time < 2; time++) await (await request(url, { dispatcher })).body.text();
  console.log(`${control}: fresh for ${policy.maxAge()} s; undici asks ${asked} of 2 times`);
}
await dispatcher.close();
server.close();
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
