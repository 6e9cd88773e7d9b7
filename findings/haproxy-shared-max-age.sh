#!/bin/sh
# HAProxy's cache doesn't store `max-age=0, s-maxage=60`, which is written for caches such as it
#
# Expected: `s-maxage` is for shared caches and goes before `max-age` there (RFC 9111, 5.2.2.10). `max-age=0, s-maxage=60`
#   lets a cache at the server keep an answer for a minute, while browsers ask each time. HAProxy's manual says the
#   same: it takes "the s-maxage or max-age (in this order)".
# Happens: with a `max-age` of 0, in whatever order the two stand, HAProxy stores nothing, and each request goes to the
#   origin. With `max-age=1` it goes by `s-maxage`, and keeps the answer for a minute.
#   nginx and Varnish do it with both.
# Matters: who wants browsers to ask each time, and a cache of one's own to answer them, writes just this header. Behind
#   another cache it works; behind HAProxy's all answers are right, and as slow as without it.
# Versions: HAProxy 2.6.12, nginx 1.22.1, Varnish 7.1.1 (Debian 12, packages haproxy, nginx, varnish), Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> s-maxage=60: two requests, asked the origin HAProxy 1, nginx 1, Varnish 1
#> max-age=0, s-maxage=60: two requests, asked the origin HAProxy 2, nginx 1, Varnish 1
#> s-maxage=60, max-age=0: two requests, asked the origin HAProxy 2, nginx 1, Varnish 1
#> max-age=1, s-maxage=60: two requests, asked the origin HAProxy 1, nginx 1, Varnish 1
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
missing=
for package in nginx haproxy varnish; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || { apt-get update && apt-get install -y $missing; } >&2
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
  asked++;
  // Varnish would show an answer for ten more seconds otherwise, while it asks.
  response.setHeader('Cache-Control', `${new URL(request.url, 'http://origin').searchParams.get('cache')}, stale-while-revalidate=0`);
  response.end('an answer');
}).listen(0, '127.0.0.1');
await once(origin, 'listening');
const target = origin.address().port;
const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
};
const ports = { HAProxy: await freePort(), nginx: await freePort(), Varnish: await freePort() };
const here = process.cwd();
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
writeFileSync('nginx.conf', `daemon off; pid nginx.pid; error_log error.log warn; events {}
http {
  access_log off; ${temporary.join(' ')}
  proxy_cache_path cache keys_zone=answers:1m;
  server {
    listen 127.0.0.1:${ports.nginx};
    location / { proxy_cache answers; proxy_pass http://127.0.0.1:${target}; }
  }
}`);
writeFileSync('haproxy.cfg', `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
cache answers
  total-max-size 4
  max-age 600
frontend web
  bind 127.0.0.1:${ports.HAProxy}
  http-request cache-use answers
  http-response cache-store answers
  default_backend origin
backend origin
  server one 127.0.0.1:${target}
`);
const processes = [
  spawn('haproxy', ['-f', 'haproxy.cfg'], { stdio: 'ignore' }),
  spawn('nginx', ['-p', here, '-e', 'error.log', '-c', 'nginx.conf'], { stdio: 'ignore' }),
  spawn('varnishd', ['-F', '-n', `${here}/varnish`, '-a', `127.0.0.1:${ports.Varnish}`, '-b', `127.0.0.1:${target}`, '-s', 'malloc,16M'], {
    stdio: 'ignore',
  }),
];
const get = async (name, cache) => {
  const answer = await fetch(`http://127.0.0.1:${ports[name]}/?${new URLSearchParams({ cache })}`);
  await answer.text();
  return answer.ok;
};
try {
  for (const name of Object.keys(ports)) {
    for (let left = 300; left > 0; left--) {
      if (await get(name, 'no-store').catch(() => false)) break;
      await sleep(100);
    }
  }
  for (const cache of ['s-maxage=60', 'max-age=0, s-maxage=60', 's-maxage=60, max-age=0', 'max-age=1, s-maxage=60']) {
    const counts = [];
    for (const name of Object.keys(ports)) {
      asked = 0;
      await get(name, cache);
      await sleep(3000);
      await get(name, cache);
      counts.push(`${name} ${asked}`);
    }
    console.log(`${cache}: two requests, asked the origin ${counts.join(', ')}`);
  }
} finally {
  for (const child of processes) child.kill('SIGTERM');
  await Promise.all(processes.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  origin.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
