#!/bin/sh
# `Cache-Control: no-cache` with an ETag saves nothing behind a cache of nginx or Squid: each answer is sent whole
#
# Expected: `no-cache` with an `ETag` is for "keep it, and ask each time": a client sends `If-None-Match` and gets a 304
#   without a body while nothing has changed. A cache in between adds or takes nothing.
# Happens: nginx without a cache passes question and 304 on. With `proxy_cache` on, it takes `If-None-Match` from the
#   request (its manual says so), doesn't store a `no-cache` answer, and doesn't compare the tag of the 200 that it got
#   either, as it does with answers that it stores. Squid asks its origin with the tag, gets a 304, and sends its client the
#   whole answer; of an answer that is fresh in its memory it sends a 304. HAProxy and Varnish send 304s.
# Matters: a location gets `proxy_cache` for the answers that say `max-age`, and those that say `no-cache` go over the
#   wire in full from then on, to clients that have them, with the status 200 in every log.
# Versions: nginx 1.22.1, Squid 5.7, HAProxy 2.6.12, Varnish 7.1.1 (Debian 12, packages nginx, squid, haproxy, varnish), Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> max-age=60, nginx: 200, 304, 304; origin asked without it, with the tag, with the tag
#> max-age=60, nginx, proxy_cache: 200, 304, 304; origin asked without it
#> max-age=60, Squid: 200, 304, 304; origin asked without it
#> max-age=60, HAProxy: 200, 304, 304; origin asked without it
#> max-age=60, Varnish: 200, 304, 304; origin asked without it
#> no-cache, nginx: 200, 304, 304; origin asked without it, with the tag, with the tag
#> no-cache, nginx, proxy_cache: 200, 200, 200; origin asked without it, without it, without it
#> no-cache, Squid: 200, 200, 200; origin asked without it, with the tag, with the tag
#> no-cache, HAProxy: 200, 304, 304; origin asked without it, with the tag, with the tag
#> no-cache, Varnish: 200, 304, 304; origin asked without it, without it, without it
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
missing=
for package in nginx squid haproxy varnish; do
  dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || { apt-get update && apt-get install -y $missing; } >&2
chmod 755 "$folder"
cd "$folder"
# Squid gives up being root.
mkdir -m 777 squid
cat >find.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http, { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const TAG = '"v1"';
let asked = [];
const origin = createHttpServer((request, response) => {
  const isKnown = request.headers['if-none-match'] === TAG;
  asked.push(isKnown ? 'with the tag' : 'without it');
  response.setHeader('Cache-Control', new URL(request.url, 'http://origin').searchParams.get('cache'));
  response.setHeader('ETag', TAG);
  response.statusCode = isKnown ? 304 : 200;
  response.end(isKnown ? undefined : 'a long answer');
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
const ports = {
  nginx: await freePort(),
  'nginx, proxy_cache': await freePort(),
  Squid: await freePort(),
  HAProxy: await freePort(),
  Varnish: await freePort(),
};
const here = process.cwd();
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
writeFileSync('nginx.conf', `daemon off; pid nginx.pid; error_log error.log warn; events {}
http {
  access_log off; ${temporary.join(' ')}
  proxy_cache_path cache keys_zone=answers:1m;
  server {
    listen 127.0.0.1:${ports.nginx};
    location / { proxy_pass http://127.0.0.1:${target}; }
  }
  server {
    listen 127.0.0.1:${ports['nginx, proxy_cache']};
    location / { proxy_cache answers; proxy_pass http://127.0.0.1:${target}; }
  }
}`);
writeFileSync('squid.conf', `http_port 127.0.0.1:${ports.Squid} accel no-vhost defaultsite=shop.example
cache_peer 127.0.0.1 parent ${target} 0 no-query originserver no-digest
http_access allow all
cache_mem 16 MB
access_log none
cache_log ${here}/squid/log
coredump_dir ${here}/squid
pid_filename ${here}/squid/pid
icp_port 0
pinger_enable off
shutdown_lifetime 0 seconds
`);
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
  spawn('nginx', ['-p', here, '-e', 'error.log', '-c', 'nginx.conf'], { stdio: 'ignore' }),
  spawn('squid', ['-N', '-f', `${here}/squid.conf`], { stdio: 'ignore' }),
  spawn('haproxy', ['-f', 'haproxy.cfg'], { stdio: 'ignore' }),
  spawn('varnishd', ['-F', '-n', `${here}/varnish`, '-a', `127.0.0.1:${ports.Varnish}`, '-b', `127.0.0.1:${target}`, '-s', 'malloc,16M'], {
    stdio: 'ignore',
  }),
];
// Not by fetch, which adds a `Cache-Control` to a request with `If-None-Match`.
const get = async (name, cache, headers) => {
  const request = http.get(`http://127.0.0.1:${ports[name]}/?${new URLSearchParams({ cache })}`, { agent: false, headers });
  const [answer] = await once(request, 'response');
  await once(answer.resume(), 'end');
  return answer.statusCode;
};
try {
  for (const name of Object.keys(ports)) {
    for (let left = 300; left > 0; left--) {
      if ((await get(name, 'no-store').catch(() => 0)) === 200) break;
      await sleep(100);
    }
  }
  const again = { 'if-none-match': TAG };
  for (const cache of ['max-age=60', 'no-cache']) {
    for (const name of Object.keys(ports)) {
      asked = [];
      const statuses = [await get(name, cache), await get(name, cache, again), await get(name, cache, again)];
      console.log(`${cache}, ${name}: ${statuses.join(', ')}; origin asked ${asked.join(', ')}`);
    }
  }
} finally {
  for (const child of processes) child.kill('SIGTERM');
  await Promise.all(processes.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  origin.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
