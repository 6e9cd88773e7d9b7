#!/bin/sh
# The usual way to strip accents changes Korean and Thai letters that have none, and an emoji
#
# Expected: `text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC')` takes accents from letters; text
#   without accents comes out as it went in, apart from compatibility forms such as a ligature.
# Happens: NFKD takes two kinds of plain letters apart that NFC doesn't join again. The Korean letters
#   that every keyboard types (U+3131 and on) become conjoining ones (U+1100 and on), so a search by
#   initials no longer equals what the user types; and these do join with their neighbours: the
#   letters ㄱ and ㅏ, written apart on purpose, become the syllable 가. The Thai vowel ำ becomes ํ and า,
#   of which the first is a mark: น้ำ (water) becomes นา (rice field). And U+FE0F, which asks for a
#   coloured ☕️, is a mark.
# Matters: it is right for German and French tests, merges other words, and the lengths differ. With NFD
#   instead of NFKD the Korean letters and ำ stay; the tone of น้ำ and U+FE0F still go.
# Versions: Node 24.21.0 (also 20.20.2; both have Unicode 17)
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> NFKD Crème (43 72 e8 6d 65) -> Creme (43 72 65 6d 65)
#> NFKD ㄱ (3131) -> ᄀ (1100)
#> NFKD ㄱㅏ (3131 314f) -> 가 (ac00)
#> NFKD น้ำ (e19 e49 e33) -> นา (e19 e32)
#> NFKD ☕️ (2615 fe0f) -> ☕ (2615)
#> NFD Crème (43 72 e8 6d 65) -> Creme (43 72 65 6d 65)
#> NFD ㄱ (3131) -> ㄱ (3131)
#> NFD ㄱㅏ (3131 314f) -> ㄱㅏ (3131 314f)
#> NFD น้ำ (e19 e49 e33) -> นำ (e19 e33)
#> NFD ☕️ (2615 fe0f) -> ☕ (2615)
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund node@24.21.0 >&2
cat >find.mjs <<'JS'
const codes = (text) => [...text].map((letter) => letter.codePointAt(0).toString(16)).join(' ');
const strip = (text, form) => text.normalize(form).replace(/\p{M}/gu, '').normalize('NFC');
for (const form of ['NFKD', 'NFD']) {
  for (const text of ['Crème', 'ㄱ', 'ㄱㅏ', 'น้ำ', '☕️']) {
    console.log(`${form} ${text} (${codes(text)}) -> ${strip(text, form)} (${codes(strip(text, form))})`);
  }
}
JS
node_modules/.bin/node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
