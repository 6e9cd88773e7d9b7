#!/bin/sh
# accept-language-parser gives the language that was refused with q=0, and "loose" prefers the wrong country
#
# Expected: `pick(supported, header)` gives the supported language that the header likes best. `de;q=0` means "not
#   German" (RFC 9110), and `*` means any other. `loose` only helps where nothing fits exactly.
# Happens: q=0 is read as a weight, the least of all, and still is a choice. `*` never is. And `loose` takes the first
#   supported tag of the language, though the very tag that was asked for comes later in the list.
# Matters: who writes "anything but German" gets German, and an Austrian sees the prices of Germany as soon as `loose`
#   is on, which it has to be for `de-AT` to find `de`.
# Versions: accept-language-parser 1.5.0, negotiator 1.1.0 for comparison, on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> de;q=0, * of en and de: de, loose de; negotiator en
#> fr, de;q=0 of en and de: de, loose de; negotiator undefined
#> * of en and de: null, loose null; negotiator en
#> de-AT of de-DE and de-AT: de-AT, loose de-DE; negotiator de-AT
#> de-AT of en and de: null, loose de; negotiator de
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts accept-language-parser@1.5.0 negotiator@1.1.0 >&2
cat >find.mjs <<'JS'
import parser from 'accept-language-parser';
import Negotiator from 'negotiator';

const asks = [
  ['de;q=0, *', ['en', 'de']],
  ['fr, de;q=0', ['en', 'de']],
  ['*', ['en', 'de']],
  ['de-AT', ['de-DE', 'de-AT']],
  ['de-AT', ['en', 'de']],
];
for (const [header, supported] of asks) {
  const strict = parser.pick(supported, header);
  const loose = parser.pick(supported, header, { loose: true });
  const other = new Negotiator({ headers: { 'accept-language': header } }).language(supported);
  console.log(`${header} of ${supported.join(' and ')}: ${strict}, loose ${loose}; negotiator ${other}`);
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
