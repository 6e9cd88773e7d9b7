#!/bin/sh
# roaring-wasm: `add` puts another number into the set where `addMany` leaves it out and `has` says it is not there
#
# Expected: a set of 32 bits refuses a number that it cannot hold, or always leaves it out. After `add(x)`, `has(x)`.
# Happens: `add` and `tryAdd` cut the number to 32 bits: 4294967301 (2^32 + 5) becomes 5, -1 becomes 4294967295, and
#   `tryAdd` says true. `addMany` and the constructor leave such a number out in silence. A fraction is cut
#   by both, and `has(1.9)` is false afterwards.
# Matters: ids of a `bigint` column are small in tests. When they pass 2^32, or a query gives -1 for "none", a product shows
#   up in the results of another's filter, or is missing, as the index was built one by one or at once.
# Versions: roaring-wasm 1.1.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 5: tryAdd says true and holds [5], addMany holds [5], the constructor [5]; has(5) after tryAdd is true
#> 4294967295: tryAdd says true and holds [4294967295], addMany holds [4294967295], the constructor [4294967295]; has(4294967295) after tryAdd is true
#> 4294967301: tryAdd says true and holds [5], addMany holds [], the constructor []; has(4294967301) after tryAdd is false
#> -1: tryAdd says true and holds [4294967295], addMany holds [], the constructor []; has(-1) after tryAdd is false
#> 1.9: tryAdd says true and holds [1], addMany holds [1], the constructor [1]; has(1.9) after tryAdd is false
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts roaring-wasm@1.1.0 >&2
cat >find.mjs <<'JS'
import { RoaringBitmap32, roaringLibraryInitialize } from 'roaring-wasm';

await roaringLibraryInitialize();
for (const number of [5, 2 ** 32 - 1, 2 ** 32 + 5, -1, 1.9]) {
  const one = new RoaringBitmap32();
  const added = one.tryAdd(number);
  const many = new RoaringBitmap32().addMany([number]);
  console.log(
    `${number}: tryAdd says ${added} and holds [${one.toArray()}], addMany holds [${many.toArray()}], the constructor [${new RoaringBitmap32([number]).toArray()}]; has(${number}) after tryAdd is ${one.has(number)}`,
  );
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
