#!/bin/sh
# The usual pair for an Accept-Language, negotiator and intl-localematcher, throws for the header that Node's `fetch` sends
#
# Expected: `match(new Negotiator(…).languages(), supported, fallback)`, as guides for routing by language have it, gives
#   a supported language or the fallback for every request.
# Happens: Node's `fetch` sends `accept-language: *`, a valid header. negotiator gives `['*']`, and `match` takes no
#   such range but throws a RangeError. `match` of `lookup`, the algorithm to pick where the default is too eager,
#   shortens `pt-PT` to `pt` but does not find `pt-BR` from `pt`, which `best fit` does. A variant of a tag, as in
#   `de-1996`, is no obstacle.
# Matters: browsers work; a health check, a crawler or another service written with `fetch` gets an error 500.
# Versions: negotiator 1.1.0, @formatjs/intl-localematcher 0.10.1 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> fetch without headers: *: best fit RangeError: Incorrect locale information provided, lookup RangeError: Incorrect locale information provided
#> de-AT: best fit de, lookup de
#> de-1996: best fit de, lookup de
#> pt: best fit pt-BR, lookup en
#> fr, *;q=0.1: best fit RangeError: Incorrect locale information provided, lookup RangeError: Incorrect locale information provided
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts negotiator@1.1.0 @formatjs/intl-localematcher@0.10.1 >&2
cat >find.mjs <<'JS'
import { createServer } from 'node:http';
import { match } from '@formatjs/intl-localematcher';
import Negotiator from 'negotiator';

const supported = ['en', 'de', 'pt-BR'];
const pick = (headers, algorithm) => {
  try {
    return match(new Negotiator({ headers }).languages(), supported, 'en', { algorithm });
  } catch ({ name, message }) {
    return `${name}: ${message}`;
  }
};
const server = createServer((request, response) => {
  const { 'accept-language': header } = request.headers;
  response.end(`${header}: best fit ${pick(request.headers, 'best fit')}, lookup ${pick(request.headers, 'lookup')}`);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
console.log(`fetch without headers: ${await (await fetch(url)).text()}`);
for (const language of ['de-AT', 'de-1996', 'pt', 'fr, *;q=0.1']) {
  console.log(await (await fetch(url, { headers: { 'accept-language': language } })).text());
}
server.close();
server.closeAllConnections();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
