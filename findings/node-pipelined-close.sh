#!/bin/sh
# Node 22 tells one of fifty pipelined responses that its connection has gone, Node 24 tells them all
#
# Expected: a `ServerResponse` emits `close` when its connection ends before its answer, so that a handler
#   can stop its work: the documentation says "the response has been completed, or its underlying
#   connection was terminated prematurely".
# Happens: up to Node 22 only the response whose turn it is emits it. Those that wait behind it (HTTP/1.1
#   pipelining: a client may send on without waiting) emit nothing, ever: neither `close` nor `finish`,
#   and whoever counts responses in flight by these two events counts 49 for good. Since Node 24 all do.
# Matters: load generators and some proxies pipeline; a limit on concurrent requests that gives
#   a place back on `close` runs full. The request (`IncomingMessage`) has to be asked as well.
# Versions: Node 22.23.3 and 24.21.0 (also seen with 20.20.2, as 22), npm package `node`
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> v22.23.3: 50 requests, close on 1 response, finish on 0
#> v24.21.0: 50 requests, close on 50 responses, finish on 0
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const count = { requests: 0, close: 0, finish: 0 };
const server = createServer((_request, response) => {
  response.on('close', () => count.close++).on('finish', () => count.finish++);
  if (++count.requests === 50) client.destroy();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const client = connect(server.address().port, '127.0.0.1');
const gone = once(server, 'connection').then(([socket]) => once(socket, 'close'));
client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50));
await gone;
await sleep(500);
const responses = count.close === 1 ? 'response' : 'responses';
console.log(`${process.version}: ${count.requests} requests, close on ${count.close} ${responses}, finish on ${count.finish}`);
server.close();
JS
for version in 22.23.3 24.21.0; do
  npm install --silent --no-audit --no-fund --prefix "node-$version" "node@$version" >&2
  "node-$version/node_modules/node/bin/node" find.mjs
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
