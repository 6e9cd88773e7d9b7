#!/bin/sh
# negotiator, which Express asks, drops all parts of a language tag at once: `zh-Hant-TW` does not find `zh-Hant`
#
# Expected: a tag is shortened from its end, part by part, until one is supported (lookup of RFC 4647): `zh-Hant-TW`,
#   `zh-Hant`, `zh`. `de-AT` finds `de`, so that seems to be what it does.
# Happens: it compares the whole tag and the first part, nothing between. `zh-Hant-TW` finds `zh` but not `zh-Hant`,
#   `sr-Latn-RS` not `sr-Latn`, `de-CH-1996` not `de-CH`: a later, less liked language wins, or the other script
#   by `zh`, which such clients add. The other way round, `zh` finds `zh-Hant`. Of two with the same weight the whole
#   tag wins over the part, wherever it is: `de-AT, en` is English.
# Matters: tags with a script are the ones that matter for Chinese and Serbian. A visitor from Taipei gets the default or
#   the script of Beijing; tests with `de-AT` show nothing of it. It is what Express's `acceptsLanguages` uses.
# Versions: negotiator 1.1.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> de-AT of en and de: de
#> zh-Hant-TW of en and zh: zh
#> zh-Hant-TW of en and zh-Hant: none
#> zh-Hant-TW, en;q=0.1 of en and zh-Hant: en
#> zh-Hant-TW, zh;q=0.9 of zh-Hans and zh-Hant: zh-Hans
#> zh of en and zh-Hant: zh-Hant
#> sr-Latn-RS of en and sr-Latn: none
#> de-CH-1996 of en and de-CH: none
#> de-CH-1996 of en and de: de
#> de-AT, en;q=0.9 of en and de: de
#> de-AT, en of en and de: en
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts negotiator@1.1.0 >&2
cat >find.mjs <<'JS'
import Negotiator from 'negotiator';

const asks = [
  ['de-AT', ['en', 'de']],
  ['zh-Hant-TW', ['en', 'zh']],
  ['zh-Hant-TW', ['en', 'zh-Hant']],
  ['zh-Hant-TW, en;q=0.1', ['en', 'zh-Hant']],
  ['zh-Hant-TW, zh;q=0.9', ['zh-Hans', 'zh-Hant']],
  ['zh', ['en', 'zh-Hant']],
  ['sr-Latn-RS', ['en', 'sr-Latn']],
  ['de-CH-1996', ['en', 'de-CH']],
  ['de-CH-1996', ['en', 'de']],
  ['de-AT, en;q=0.9', ['en', 'de']],
  ['de-AT, en', ['en', 'de']],
];
for (const [header, supported] of asks) {
  const { length, [0]: first } = new Negotiator({ headers: { 'accept-language': header } }).languages(supported);
  console.log(`${header} of ${supported.join(' and ')}: ${length ? first : 'none'}`);
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
