#!/bin/sh
# SheetJS reads the price 1,99 of a file that is separated by semicolons as 199
#
# Expected: whoever finds out that a file is separated by semicolons knows why: its commas are decimal
#   commas. Its prices stay text, or become 1.99.
# Happens: the semicolon is found (or read from Excel's own first line `sep=;`), and then every comma in a
#   number is dropped as a separator of thousands, also where two digits or one follow: the price is a
#   hundred or ten times what it was, as a number, without an error. And `1.234,50` becomes 1.2345, so
#   that the small prices are too big and the big ones too small.
# Matters: French, German, Italian, Polish, Brazilian ... spreadsheets save "CSV" in just this form.
#   `raw: true` leaves all cells text.
# Versions: xlsx 0.18.5 (the newest in the npm registry) on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> sku;price  -> 1,99 = 199 (n), 12,5 = 125 (n), 0,5 = 5 (n), 1.234,50 = 1.2345 (n)
#> sep=;      -> 1,99 = 199 (n), 12,5 = 125 (n), 0,5 = 5 (n), 1.234,50 = 1.2345 (n)
#> raw: true  -> 1,99 = "1,99" (s), 12,5 = "12,5" (s), 0,5 = "0,5" (s), 1.234,50 = "1.234,50" (s)
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund xlsx@0.18.5 >&2
cat >find.cjs <<'JS'
const { read } = require('xlsx');
const prices = ['1,99', '12,5', '0,5', '1.234,50'];
const csv = `sku;price\n${prices.map((price, row) => `A${row};${price}\n`).join('')}`;
const show = (label, text, options) => {
  const workbook = read(text, { type: 'string', ...options });
  const sheet = workbook.Sheets[workbook.SheetNames[0]];
  const cells = prices.map((price, row) => {
    const cell = sheet[`B${row + 2}`];
    return `${price} = ${JSON.stringify(cell.v)} (${cell.t})`;
  });
  console.log(`${label.padEnd(10)} -> ${cells.join(', ')}`);
};
show('sku;price', csv);
show('sep=;', `sep=;\n${csv}`);
show('raw: true', csv, { raw: true });
JS
node find.cjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
