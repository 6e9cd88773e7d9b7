#!/bin/sh
# Varnish plays an event stream that says nothing about caching to later subscribers from its beginning
#
# Expected: a stream of `text/event-stream` that never ends passes through: each subscriber has a stream of
#   its own, from now on, and the origin's stream ends when its subscriber leaves.
# Happens: a 200 without `Cache-Control` is kept for two minutes (`default_ttl`), whatever its type, and a
#   response may be read from memory while it still comes in. So a second subscriber of the same address
#   gets the first one's stream, all old events first, at once; `Age` tells. When both have left, the
#   origin's stream goes on, into Varnish's memory: nobody reads it, and the origin can't know.
#   `Cache-Control: no-cache` (also `no-store`, `private`) ends all of that.
# Matters: two subscribers in a test get the same events and look right. Late ones act on old events again,
#   and an origin that counts its subscribers counts one that isn't there.
# Versions: Varnish 7.1.1 (Debian 12, package varnish, its built-in VCL), Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> none:     first reader: stream 1 event 1; second reader: stream 1 event 1; Age above 0: true; streams at the origin 1, of these open after both left 1
#> no-cache: first reader: stream 1 event 1; second reader: stream 2 event 1; Age above 0: false; streams at the origin 2, of these open after both left 0
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v varnishd >/dev/null || { apt-get update && apt-get install -y varnish; } >&2
cd "$folder"
cat >find.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const streams = new Map();
const origin = createHttpServer((request, response) => {
  const counts = streams.get(request.url);
  if (!counts) return response.end();
  const stream = ++counts.begun;
  let event = 0;
  const headers = { 'Content-Type': 'text/event-stream' };
  if (request.url !== '/none') headers['Cache-Control'] = request.url.slice(1);
  response.writeHead(200, headers);
  const timer = setInterval(() => response.write(`data: stream ${stream} event ${++event}\n\n`), 200);
  response.on('close', () => {
    clearInterval(timer);
    counts.ended++;
  });
}).listen(0, '127.0.0.1');
await once(origin, 'listening');
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
writeFileSync('default.vcl', `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${origin.address().port}"; }\n`);
mkdirSync('work');
const varnish = spawn('varnishd', ['-F', '-j', 'none', '-a', `127.0.0.1:${port}`, '-f', `${process.cwd()}/default.vcl`,
  '-n', `${process.cwd()}/work`, '-s', 'malloc,20m'], { stdio: 'ignore' });
for (let left = 100; left > 0; left--) {
  if (await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.ok, () => false)) break;
  await sleep(100);
}
const subscribe = async (path) => {
  const abort = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: abort.signal });
  const { value } = await answer.body.getReader().read();
  const first = new TextDecoder().decode(value).split('\n')[0].replace('data: ', '');
  return { age: Number(answer.headers.get('age')), first, leave: () => abort.abort() };
};
try {
  for (const control of ['none', 'no-cache']) {
    const counts = { begun: 0, ended: 0 };
    streams.set(`/${control}`, counts);
    const one = await subscribe(`/${control}`);
    await sleep(2500);
    const two = await subscribe(`/${control}`);
    one.leave();
    two.leave();
    await sleep(2500);
    console.log(
      `${`${control}:`.padEnd(9)} first reader: ${one.first}; second reader: ${two.first}; Age above 0: ${two.age > 0}; ` +
        `streams at the origin ${counts.begun}, of these open after both left ${counts.begun - counts.ended}`,
    );
  }
} finally {
  varnish.kill();
  await once(varnish, 'exit');
  origin.closeAllConnections();
  origin.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
