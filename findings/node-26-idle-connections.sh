#!/bin/sh
# Node 26's server.closeIdleConnections() also closes connections that have not sent anything yet
#
# Expected: as in Node 24, "idle" are connections that wait for their next request after a response.
# Happens: in Node 26 a connection that was accepted and has not sent its first request is closed, too. One that has
#   sent half of a request stays open in both.
# Matters: servers that close idle connections to make room for new ones: the new one is idle by this measure, so its
#   client sees the connection end without a response, where it got a 503 before.
# Versions: Node 24.21.0 and 26.10.0 (npm package node)
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> v24.21.0, nothing sent: open
#> v24.21.0, half a request sent: open
#> v24.21.0, answered: closed
#> v26.10.0, nothing sent: closed
#> v26.10.0, half a request sent: open
#> v26.10.0, answered: closed
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const server = createServer((_request, response) => response.end('x')).listen(0, '127.0.0.1');
await once(server, 'listening');
const HALF = 'GET / HTTP/1.1\r\nhost: x\r\n';
for (const [label, text] of [
  ['nothing sent', ''],
  ['half a request sent', HALF],
  ['answered', `${HALF}\r\n`],
]) {
  const socket = connect(server.address().port, '127.0.0.1').resume();
  await once(socket, 'connect');
  if (text) socket.write(text);
  await setTimeout(200);
  server.closeIdleConnections();
  await setTimeout(200);
  console.log(`${process.version}, ${label}: ${socket.readableEnded ? 'closed' : 'open'}`);
  socket.destroy();
}
server.close();
JS
for version in 24.21.0 26.10.0; do
  mkdir "node-$version"
  # npm 11 runs the script that fetches the binary only where it is allowed.
  echo '{ "private": true, "allowScripts": { "node": true } }' >"node-$version/package.json"
  npm install --silent --no-audit --no-fund --prefix "node-$version" "node@$version" >&2
  "node-$version/node_modules/.bin/node" find.mjs >>seen
done
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
