#!/bin/sh
# What `new URL(…).href` gives is not always a `format: uri` of ajv-formats, and its `format: url` refuses other hosts
#
# Expected: an address that went through `URL` is escaped as far as it needs to be, so that `href` passes `format: uri`. Of
#   the two formats `url` is the older name.
# Happens: `URL` follows the WHATWG, which leaves `|`, `[`, `]`, `{` and a lone `%` as they are where RFC 3986 wants
#   them escaped; a backtick is escaped in the fragment and not in the query, `^` in a path by Node 24 and not by 20.
#   `format: uri` is RFC 3986.
#   `format: url` takes all of these, but not a host without a dot, with an underscore or with letters that are not ASCII
#   written in its short form (xn--).
# Matters: image addresses of content networks have `|` and `[]` in their queries. A response that is checked by its
#   schema fails for those products only, and "normalize it with URL first" does not help.
# Versions: ajv 8.20.0, ajv-formats 3.0.1 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> https://shop.test/a%20b.jpg?size=%221%22: uri, url
#> https://shop.test/a|b.jpg: no uri, url
#> https://shop.test/a.jpg?size[]=1: no uri, url
#> https://shop.test/a.jpg?q={1}: no uri, url
#> https://shop.test/100%.jpg: no uri, url
#> https://shop.test/a.jpg#%60: uri, url
#> https://shop.test/a.jpg?`: no uri, url
#> https://my_shop.test/a.jpg: uri, no url
#> https://images/a.jpg: uri, no url
#> https://xn--bcher-kva.test/a.jpg: uri, no url
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts ajv@8.20.0 ajv-formats@3.0.1 >&2
cat >find.mjs <<'JS'
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const ajv = new Ajv();
addFormats.default(ajv);
const is = (format, value) => (ajv.validate({ type: 'string', format }, value) ? format : `no ${format}`);
const addresses = [
  'https://shop.test/a b.jpg?size="1"',
  'https://shop.test/a|b.jpg',
  'https://shop.test/a.jpg?size[]=1',
  'https://shop.test/a.jpg?q={1}',
  'https://shop.test/100%.jpg',
  'https://shop.test/a.jpg#`',
  'https://shop.test/a.jpg?`',
  'https://my_shop.test/a.jpg',
  'https://images/a.jpg',
  'https://b\u00fccher.test/a.jpg',
];
for (const address of addresses) {
  const { href } = new URL(address);
  console.log(`${href}: ${is('uri', href)}, ${is('url', href)}`);
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
