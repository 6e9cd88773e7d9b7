#!/bin/sh
# Node's fetch opens a connection for each request to a server that keeps idle ones for two seconds
#
# Expected: a server that keeps idle connections for two seconds, and says so (`Keep-Alive: timeout=2`), is asked five
#   times within a tenth of a second by one connection, as an agent of `node:http` with `keepAlive` does it.
# Happens: so that it never uses a connection that the server is about to close, undici takes two seconds off what the
#   header says: none is left, and it closes the connection after each answer. Node's server rounds the header down to
#   seconds: with 2999 ms it says 2. `node:http` takes one second off, so that 1999 ms are too few for it as well.
# Matters: servers behind a balancer have short times, to be drained soon. Each call between two services then costs a
#   handshake, with TLS several round trips, and leaves a port in TIME_WAIT; no log or metric of either names it. Three
#   seconds suffice, or in undici an Agent with a `keepAliveTimeoutThreshold` of its own.
# Versions: Node 20.20.2 (with undici 6.24.1), 24.21.0 (7.29.1) and 26.10.0 (8.10.2); undici 7.30.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 1999 ms, five requests, connections of fetch 5, node:http 5, undici 5, undici with a threshold of 500 1
#> 2000 ms, five requests, connections of fetch 5, node:http 1, undici 5, undici with a threshold of 500 1
#> 2999 ms, five requests, connections of fetch 5, node:http 1, undici 5, undici with a threshold of 500 1
#> 3000 ms, five requests, connections of fetch 1, node:http 1, undici 1, undici with a threshold of 500 1
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund undici@7.30.2 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { Agent as HttpAgent, createServer, get } from 'node:http';
import { Agent, request } from 'undici';

const byNode = async (address, agent) => {
  const [response] = await once(get(address, { agent }), 'response');
  await once(response.resume(), 'end');
};
const byUndici = async (address, dispatcher) => (await request(address, { dispatcher })).body.dump();
const CLIENTS = {
  fetch: [async (address) => (await fetch(address)).text()],
  'node:http': [byNode, new HttpAgent({ keepAlive: true })],
  undici: [byUndici, new Agent()],
  'undici with a threshold of 500': [byUndici, new Agent({ keepAliveTimeoutThreshold: 500 })],
};
for (const keepAliveTimeout of [1999, 2000, 2999, 3000]) {
  const server = createServer({ keepAliveTimeout }, (_request, response) => response.end('products')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let connections = 0;
  server.on('connection', () => connections++);
  const counts = [];
  for (const [name, [ask, agent]] of Object.entries(CLIENTS)) {
    connections = 0;
    for (let time = 0; time < 5; time++) {
      await ask(`http://127.0.0.1:${server.address().port}/`, agent);
      await new Promise(setImmediate);
    }
    counts.push(`${name} ${connections}`);
  }
  console.log(`${keepAliveTimeout} ms, five requests, connections of ${counts.join(', ')}`);
  server.closeAllConnections();
  server.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
