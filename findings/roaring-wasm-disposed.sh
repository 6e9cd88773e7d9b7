#!/bin/sh
# A set of roaring-wasm that was disposed of is an empty set, and an empty set's greatest number is 0
#
# Expected: memory of WebAssembly is freed by hand, so there is `dispose()`; what is used after it throws, as writing
#   does ("RoaringBitmap32 was disposed"). The least number of an empty set is undefined or throws.
# Happens: every question is answered as for an empty set: `size`, `has`, `toArray`, the parts that two sets share,
#   `isEqual`. `addRange`, unlike `addMany`, makes it a set again, with memory that nobody disposes of. Of an empty set
#   `minimum()` is 4294967295 and `maximum()` is 0, which is a number a set may have.
# Matters: an index that is replaced while a request still holds the old one gives "nothing found", with status 200,
#   where an error would have been noticed; and "the next id is maximum() + 1" skips 0.
# Versions: roaring-wasm 1.1.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> size: [1, 2] 2, disposed 0, empty 0
#> has(1): [1, 2] true, disposed false, empty false
#> toArray(): [1, 2] [1,2], disposed [], empty []
#> andCardinality(other): [1, 2] 2, disposed 0, empty 0
#> isEqual(an empty one): [1, 2] false, disposed true, empty true
#> minimum(): [1, 2] 1, disposed 4294967295, empty 4294967295
#> maximum(): [1, 2] 2, disposed 0, empty 0
#> addMany([1, 2]): [1, 2] [1,2], disposed RoaringBitmap32 was disposed, empty [1,2]
#> addRange(1, 3): [1, 2] [1,2], disposed [1,2], empty [1,2]
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts roaring-wasm@1.1.0 >&2
cat >find.mjs <<'JS'
import { RoaringBitmap32, roaringLibraryInitialize } from 'roaring-wasm';

await roaringLibraryInitialize();
const other = new RoaringBitmap32([1, 2, 3]);
const uses = {
  size: (set) => set.size,
  'has(1)': (set) => set.has(1),
  'toArray()': (set) => set.toArray(),
  'andCardinality(other)': (set) => set.andCardinality(other),
  'isEqual(an empty one)': (set) => set.isEqual(new RoaringBitmap32()),
  'minimum()': (set) => set.minimum(),
  'maximum()': (set) => set.maximum(),
  'addMany([1, 2])': (set) => set.addMany([1, 2]).toArray(),
  'addRange(1, 3)': (set) => set.addRange(1, 3).toArray(),
};
const result = (use, set) => {
  try {
    return JSON.stringify(use(set));
  } catch ({ message }) {
    return message;
  }
};
for (const [label, use] of Object.entries(uses)) {
  const disposed = new RoaringBitmap32([1, 2]);
  disposed.dispose();
  console.log(`${label}: [1, 2] ${result(use, new RoaringBitmap32([1, 2]))}, disposed ${result(use, disposed)}, empty ${result(use, new RoaringBitmap32())}`);
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
