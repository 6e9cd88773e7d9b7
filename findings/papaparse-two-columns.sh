#!/bin/sh
# Papa Parse does not find the delimiter of a short file with two columns that ends in a newline
#
# Expected: a list of stock (`sku;stock`) is read alike with and without the newline at its end, as text
#   files should have one, and a tab is found as well as a semicolon.
# Happens: with the newline no delimiter is found, the file is taken to be separated by commas and each
#   line is one field. The empty line after the last newline counts as a record of one field, and a
#   delimiter needs more than 1.99 fields a record on average over the first ten. So three columns are
#   found, ten lines are found, and two columns are found with `skipEmptyLines`, or without the newline.
# Matters: a test file has two lines, the shop's file has thousands, or the other way round: a delta of
#   three products is refused after the whole catalogue was taken.
# Versions: papaparse 5.7.1 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> "sku;stock\nA;1\nB;2" -> ";" [["sku","stock"],["A","1"],["B","2"]]
#> "sku;stock\nA;1\nB;2\n" -> "," [["sku;stock"],["A;1"],["B;2"],[""]] UndetectableDelimiter
#> "sku\tstock\nA\t1\nB\t2\n" -> "," [["sku\tstock"],["A\t1"],["B\t2"],[""]] UndetectableDelimiter
#> "sku;name;stock\nA;x;1\n" -> ";" [["sku","name","stock"],["A","x","1"],[""]]
#> skipEmptyLines: "sku;stock\nA;1\nB;2\n" -> ";" [["sku","stock"],["A","1"],["B","2"]]
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund papaparse@5.7.1 >&2
cat >find.cjs <<'JS'
const { parse } = require('papaparse');
const show = (text, options, label = '') => {
  const { data, errors, meta } = parse(text, options);
  const codes = errors.map((error) => ` ${error.code}`).join('');
  console.log(`${label}${JSON.stringify(text)} -> ${JSON.stringify(meta.delimiter)} ${JSON.stringify(data)}${codes}`);
};
show('sku;stock\nA;1\nB;2');
show('sku;stock\nA;1\nB;2\n');
show('sku\tstock\nA\t1\nB\t2\n');
show('sku;name;stock\nA;x;1\n');
show('sku;stock\nA;1\nB;2\n', { skipEmptyLines: true }, 'skipEmptyLines: ');
JS
node find.cjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
