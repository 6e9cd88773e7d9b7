#!/bin/sh
# csv-parse with `cast: true` makes 0 of `0x1F`, and another number of a long one
#
# Expected: with `cast: true`, "convert string values into native JavaScript types", a cell becomes a number where that
#   is what it says, and stays a text where it is not.
# Happens: a cell is a number where JavaScript's own conversion takes it (`'0x1F' - 0`), but its value is what
#   `parseFloat` makes of it, which stops at the x: every hexadecimal, octal and binary code is 0. `007` is 7, `1E5`
#   is 100000, and of 20 digits the last ones are other digits. `0x1G` stays a text.
# Matters: article numbers are such texts. Of a column of them some become equal, without an error, and by them stocks
#   and prices are joined.
# Versions: csv-parse 7.0.3 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> "0x1F" is 0
#> "0xCAFE" is 0
#> "0b11" is 0
#> "0x1G" is "0x1G"
#> "007" is 7
#> "1E5" is 100000
#> "12345678901234567891" is 12345678901234567000
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund csv-parse@7.0.3 >&2
cat >find.mjs <<'JS'
import { parse } from 'csv-parse/sync';

const codes = ['0x1F', '0xCAFE', '0b11', '0x1G', '007', '1E5', '12345678901234567891'];
for (const [index, [cell]] of parse(codes.join('\n'), { cast: true }).entries()) {
  console.log(`${JSON.stringify(codes[index])} is ${JSON.stringify(cell)}`);
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
