#!/bin/sh
# A release within Node 24 rounds the cents of forints and rupees away, where the release before showed them
#
# Expected: `Intl.NumberFormat` with a currency shows as many decimals as ISO 4217 says. ECMA-402 says so (its
#   CurrencyDigits is ISO's minor unit), and two releases of one major version, or a server and a browser of
#   the same year, show the same price.
# Happens: V8 takes the digits from ICU, whose data (CLDR) say what is usual in shops, not what ISO says. ISO has 2 digits
#   for HUF, PKR, COP, IDR, RSD and LBP, and 3 for IQD. With CLDR 47 forints have 2 and dinars of Serbia 0;
#   with CLDR 48 it is the other way round. 1234.50 rupees become 1,235, without a word.
# Matters: prices that are rendered on a server are rendered otherwise in the browser (React's hydration
#   errors), and the lines of a cart do not sum to its total. `maximumFractionDigits: 2` shows what the amount has. A
#   payment that takes the minor unit of forints from `resolvedOptions()` charges a hundredth.
# Versions: node 24.0.0 (ICU 77.1, CLDR 47) and 24.21.0 (ICU 78.3, CLDR 48), both from npm
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> node 24.0.0, CLDR 47.0
#> HUF 1,234.50 | PKR 1,234.50 | COP 1,234.50 | IDR 1,234.50 | RSD 1,235 | LBP 1,235 | IQD 1,235
#> with maximumFractionDigits 2: HUF 1,234.50 | PKR 1,234.50 | COP 1,234.50 | IDR 1,234.50 | RSD 1,234.5 | LBP 1,234.5 | IQD 1,234.5
#> node 24.21.0, CLDR 48.0
#> HUF 1,235 | PKR 1,235 | COP 1,235 | IDR 1,235 | RSD 1,234.50 | LBP 1,235 | IQD 1,235
#> with maximumFractionDigits 2: HUF 1,234.5 | PKR 1,234.5 | COP 1,234.5 | IDR 1,234.5 | RSD 1,234.50 | LBP 1,234.5 | IQD 1,234.5
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >prices.mjs <<'JS'
const prices = (options) =>
  ['HUF', 'PKR', 'COP', 'IDR', 'RSD', 'LBP', 'IQD']
    .map((currency) => new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code', ...options }).format('1234.50'))
    .join(' | ')
    .replaceAll('\u00a0', ' ');
console.log(`node ${process.versions.node}, CLDR ${process.versions.cldr}`);
console.log(prices());
console.log(`with maximumFractionDigits 2: ${prices({ maximumFractionDigits: 2 })}`);
JS
for version in 24.0.0 24.21.0; do
  npm install --prefix "$folder/$version" --silent --no-audit --no-fund "node@$version" >&2
  "$folder/$version/node_modules/.bin/node" prices.mjs
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
