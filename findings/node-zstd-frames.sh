#!/bin/sh
# Node 24 reads the first frame of a Zstandard file and drops the others, or not, by where the chunks are cut
#
# Expected: a file of several frames is their contents one after the other (RFC 8878, 3: frames are independent and may
#   be concatenated). `zstd -d` reads it so, Node 24 does so with the members of a gzip file, and `pzstd` and `cat a.zst
#   b.zst` write such files.
# Happens: in Node 24 `zstdDecompressSync` gives the first frame and no error. `createZstdDecompress` drops what a chunk
#   has behind the end of a frame and goes on with the next chunk: where each chunk ends with a frame all is there.
#   `fetch` loses the same of a body with `Content-Encoding: zstd`. Behind a skippable frame, which has no content and
#   with which `pzstd` begins its files, is nothing at all. Node 26 reads all of it, each time.
# Matters: a nightly feed loses its second part, and which part depends on the chunks of the disk or the network: a
#   small file in a test and a large one differ, and so can two downloads of one file. In Node 24, count the rows.
# Versions: Node 22.23.3, 24.21.0 (also 22.23.3, whose fetch has no zstd) and 26.10.0, npm package node
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> v24.21.0 gzip: sync "one two three", one chunk "one two three", a chunk for each "one two three", cut within the second "one two three", fetch "one two three"
#> v24.21.0 zstd: sync "one", one chunk "one", a chunk for each "one two three", cut within the second "one", fetch "one"
#> v24.21.0 zstd: behind a skippable frame ""
#> v26.10.0 gzip: sync "one two three", one chunk "one two three", a chunk for each "one two three", cut within the second "one two three", fetch "one two three"
#> v26.10.0 zstd: sync "one two three", one chunk "one two three", a chunk for each "one two three", cut within the second "one two three", fetch "one two three"
#> v26.10.0 zstd: behind a skippable frame "one"
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import zlib from 'node:zlib';

const show = async (encoding, compress, decompress, createDecompress) => {
  const parts = ['one ', 'two ', 'three '].map((part) => compress(part));
  const whole = Buffer.concat(parts);
  const stream = (chunks) => text(Readable.from(chunks).pipe(createDecompress()));
  const server = createServer((_request, response) => response.setHeader('Content-Encoding', encoding).end(whole)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${server.address().port}`, { headers: { 'Accept-Encoding': encoding } });
  const within = parts[0].length + 5;
  const seen = {
    sync: `${decompress(whole)}`,
    'one chunk': await stream([whole]),
    'a chunk for each': await stream(parts),
    'cut within the second': await stream([whole.subarray(0, within), whole.subarray(within)]),
    fetch: await answer.text(),
  };
  server.closeAllConnections();
  server.close();
  return seen;
};
const print = (label, seen) =>
  console.log(`${process.version} ${label}: ${Object.entries(seen).map(([way, read]) => `${way} ${JSON.stringify(read.trim())}`).join(', ')}`);
print('gzip', await show('gzip', zlib.gzipSync, zlib.gunzipSync, zlib.createGunzip));
print('zstd', await show('zstd', zlib.zstdCompressSync, zlib.zstdDecompressSync, zlib.createZstdDecompress));
const skippable = Buffer.from('502a4d1803000000616263', 'hex');
print('zstd', { 'behind a skippable frame': `${zlib.zstdDecompressSync(Buffer.concat([skippable, zlib.zstdCompressSync('one')]))}` });
JS
for version in 24.21.0 26.10.0; do
  mkdir "node-$version"
  # npm 11 runs the script that fetches the binary only where it is allowed.
  echo '{ "private": true, "allowScripts": { "node": true } }' >"node-$version/package.json"
  npm install --silent --no-audit --no-fund --prefix "node-$version" "node@$version" >&2
  "node-$version/node_modules/.bin/node" --no-warnings find.mjs
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
