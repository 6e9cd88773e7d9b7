#!/bin/sh
# With `proxy_cache_lock on`, nginx lets requests for an answer with `no-store` through one by one
#
# Expected: the lock spares the origin: of many requests for one address that isn't in the cache, one goes
#   on and the rest wait for its answer. When that answer mustn't be stored, all that waited go on.
# Happens: then one of those that waited takes the lock and the rest wait for its answer, and so on: the
#   origin never has two at once, and the eighth answer comes after eight times the time of one (more:
#   those that wait look every half second). nginx does not remember that an address can't be stored, as
#   Varnish does for two minutes ("hit-for-miss"). Only `proxy_cache_lock_timeout` (5 s) ends the queue.
# Matters: one location for pages that are public and pages that are not, which the origin marks: the
#   latter are fast with one visitor and a queue with many. `proxy_no_cache` comes after the lock and doesn't
#   help; `proxy_cache_bypass` comes before it and does.
# Versions: nginx 1.22.1 (Debian 12, package nginx), Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> proxy_cache_lock off: 8 answers of 200, at most 8 at once at the origin
#> proxy_cache_lock on: 8 answers of 200, at most 1 at once at the origin
#> on, proxy_no_cache: 8 answers of 200, at most 1 at once at the origin
#> on, proxy_cache_bypass: 8 answers of 200, at most 8 at once at the origin
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

let now = 0;
let most = 0;
const origin = createHttpServer(async (_request, response) => {
  most = Math.max(most, ++now);
  await sleep(200);
  now--;
  response.setHeader('Cache-Control', 'no-store').end('private');
}).listen(0, '127.0.0.1');
await once(origin, 'listening');
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const locations = {
  'proxy_cache_lock off': '',
  'proxy_cache_lock on': 'proxy_cache_lock on;',
  'on, proxy_no_cache': 'proxy_cache_lock on; proxy_no_cache 1;',
  'on, proxy_cache_bypass': 'proxy_cache_lock on; proxy_cache_bypass 1;',
};
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
writeFileSync('nginx.conf', `daemon off; pid nginx.pid; error_log error.log; events {}
http {
  access_log off; ${temporary.join(' ')}
  proxy_cache_path cache keys_zone=answers:1m;
  server {
    listen 127.0.0.1:${port};
    proxy_cache answers;
    ${Object.values(locations).map((lines, place) => `location /${place} { proxy_pass http://127.0.0.1:${origin.address().port}; ${lines} }`).join('\n    ')}
  }
}`);
const nginx = spawn('nginx', ['-p', process.cwd(), '-e', 'error.log', '-c', 'nginx.conf'], { stdio: 'inherit' });
const get = (path) => fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.status);
for (let left = 100; left > 0; left--) {
  if (await get('/0').catch(() => undefined)) break;
  await sleep(100);
}
try {
  for (const [place, label] of Object.keys(locations).entries()) {
    most = 0;
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(`/${place}`)));
    console.log(`${label}: ${answers.filter((status) => status === 200).length} answers of 200, at most ${most} at once at the origin`);
  }
} finally {
  nginx.kill('SIGTERM');
  await once(nginx, 'exit');
  origin.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
