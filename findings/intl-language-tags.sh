#!/bin/sh
# `Intl` refuses language tags that BCP 47 allows, takes others of the same kind, and makes another language of some
#
# Expected: `Intl.getCanonicalLocales` says whether a text is a language tag and writes it in one way; it does not
#   change the language. `Intl.DisplayNames` names what it takes.
# Happens: it takes Unicode's locale identifiers, which are not all of BCP 47. `zh-cmn-Hans`, `zh-yue`, `en-GB-oed`,
#   `i-klingon` and `x-default` are a RangeError, while `zh-hakka`, of the same list, is `hak`. `tl` comes back as `fil`,
#   `prs` as `fa-AF`, `swc` as `sw-CD`, `pnb` as `lah`, `kmr` as `ku`; a country that is no more becomes one of its
#   heirs, by the language. `no` and `nb` stay two. `de-x-shop` is a tag and has no name in Node 24; in Node 20.20.2
#   `DisplayNames` has names for all of the refused ones.
# Matters: a catalogue with Tagalog is stored under a code that its source does not know, and its rows meet those
#   of `fil`. The check "is it a language?" refuses `x-default`, which hreflang has, and tags of older files.
# Versions: node 20.20.2 (ICU 78.2) and 24.21.0 (ICU 78.3), both from npm
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> node 20.20.2
#> zh-cmn-Hans: RangeError, name: Simplified Chinese
#> zh-yue: RangeError, name: Cantonese
#> zh-hakka: hak, name: Hakka Chinese
#> en-GB-oed: RangeError, name: British English (Oxford English Dictionary spelling)
#> i-klingon: RangeError, name: Klingon
#> x-default: RangeError, name: root
#> de-x-shop: de-x-shop, name: German
#> tl: fil, prs: fa-AF, swc: sw-CD, pnb: lah, kmr: ku, sh: sr-Latn, mo: ro, ru-SU: ru-RU, hy-SU: hy-AM, sr-YU: sr-RS, no: no, nb: nb
#> node 24.21.0
#> zh-cmn-Hans: RangeError, name: RangeError
#> zh-yue: RangeError, name: RangeError
#> zh-hakka: hak, name: Hakka Chinese
#> en-GB-oed: RangeError, name: RangeError
#> i-klingon: RangeError, name: RangeError
#> x-default: RangeError, name: RangeError
#> de-x-shop: de-x-shop, name: RangeError
#> tl: fil, prs: fa-AF, swc: sw-CD, pnb: lah, kmr: ku, sh: sr-Latn, mo: ro, ru-SU: ru-RU, hy-SU: hy-AM, sr-YU: sr-RS, no: no, nb: nb
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >find.mjs <<'JS'
const names = new Intl.DisplayNames('en', { type: 'language' });
const result = (use) => {
  try {
    return use();
  } catch ({ name }) {
    return name;
  }
};
console.log(`node ${process.versions.node}`);
for (const tag of ['zh-cmn-Hans', 'zh-yue', 'zh-hakka', 'en-GB-oed', 'i-klingon', 'x-default', 'de-x-shop']) {
  console.log(`${tag}: ${result(() => Intl.getCanonicalLocales(tag)[0])}, name: ${result(() => names.of(tag))}`);
}
const changed = ['tl', 'prs', 'swc', 'pnb', 'kmr', 'sh', 'mo', 'ru-SU', 'hy-SU', 'sr-YU', 'no', 'nb'];
console.log(changed.map((tag) => `${tag}: ${result(() => Intl.getCanonicalLocales(tag)[0])}`).join(', '));
JS
for version in 20.20.2 24.21.0; do
  npm install --prefix "$folder/$version" --silent --no-audit --no-fund "node@$version" >&2
  "$folder/$version/node_modules/.bin/node" find.mjs
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
