#!/bin/sh
# nginx keeps an answer as long as a 304 says, and goes on telling clients the old `max-age`
#
# Expected: a 304 refreshes what is stored: its `Cache-Control` and other headers replace the stored ones
#   (RFC 9111, 3.2 and 4.3.4), for the cache's own clock and for those who ask the cache.
# Happens: with `proxy_cache_revalidate on` the clock goes by the 304 and the stored headers stay as they
#   came with the first 200: nginx keeps the answer for ten minutes then and its clients ask again after
#   two seconds, for ever. The other way round (a long `max-age` at first, a short one later) clients
#   keep what nginx itself takes for old.
# Matters: an origin that makes its `max-age` longer or shorter over time, as one does before a sale, is
#   heard by nginx and by none of its clients until the entry is thrown away or the body changes.
# Versions: nginx 1.22.1 (Debian 12, package nginx), Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> at once: MISS, max-age=2, x-origin: 200, origin asked 1 time(s)
#> stale: REVALIDATED, max-age=2, x-origin: 200, origin asked 2 time(s)
#> after 3 s: HIT, max-age=2, x-origin: 200, origin asked 2 time(s)
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v nginx >/dev/null || { apt-get update && apt-get install -y nginx; } >&2
chmod 755 "$folder"
cd "$folder"
cat >find.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

let asked = 0;
const origin = createHttpServer((request, response) => {
  if (request.url !== '/') return response.end();
  asked++;
  const status = request.headers['if-none-match'] === '"a"' ? 304 : 200;
  response.writeHead(status, { 'Cache-Control': `max-age=${status === 200 ? 2 : 600}`, ETag: '"a"', 'X-Origin': status });
  response.end(status === 200 ? 'body' : undefined);
}).listen(0, '127.0.0.1');
await once(origin, 'listening');
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
writeFileSync('nginx.conf', `daemon off; pid nginx.pid; error_log error.log; events {}
http {
  access_log off; ${temporary.join(' ')}
  proxy_cache_path cache keys_zone=answers:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${origin.address().port};
      proxy_cache answers;
      proxy_cache_revalidate on;
      add_header X-Cache $upstream_cache_status;
    }
  }
}`);
const nginx = spawn('nginx', ['-p', process.cwd(), '-e', 'error.log', '-c', 'nginx.conf'], { stdio: 'inherit' });
for (let left = 100; left > 0; left--) {
  if (await fetch(`http://127.0.0.1:${port}/ready`).then((answer) => answer.ok, () => false)) break;
  await sleep(100);
}
const show = async (label) => {
  const { headers } = await fetch(`http://127.0.0.1:${port}/`);
  console.log(`${label}: ${headers.get('x-cache')}, ${headers.get('cache-control')}, x-origin: ${headers.get('x-origin')}, origin asked ${asked} time(s)`);
};
try {
  await show('at once');
  await sleep(3500);
  await show('stale');
  await sleep(3500);
  await show('after 3 s');
} finally {
  nginx.kill('SIGTERM');
  await once(nginx, 'exit');
  origin.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
