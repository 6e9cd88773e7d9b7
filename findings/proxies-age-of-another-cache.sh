#!/bin/sh
# An answer that has lain in one cache for 59 of its 60 seconds gets 60 more from nginx and from HAProxy
#
# Expected: caches stand behind caches, and `Age` tells the next one how old an answer is: with `max-age=60` and `Age: 59`
#   it is fresh for one more second (RFC 9111, 4.2: the age includes that header's).
# Happens: nginx and HAProxy count `max-age` from when they got the answer. nginx goes on sending the stored `Age: 59`, the
#   same number all the time. HAProxy takes the header off for the first client; to the next ones it adds its own seconds
#   to the 59, and so calls its answers older than they may be. Varnish asks its origin again.
# Matters: a price that may be a minute old is two minutes old behind two such caches, four behind four. A browser that
#   gets an age above `max-age` takes the answer for stale and asks each time, for the same one. nginx's manual lists
#   the headers that decide how long it keeps an answer, HAProxy's describes `max-age`: neither says that `Age` doesn't
#   count.
# Versions: nginx 1.22.1, HAProxy 2.6.12, Varnish 7.1.1 (Debian 12, packages nginx, haproxy, varnish), Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> nginx: Age 59; four seconds later the same answer, Age 59
#> HAProxy: Age not told; four seconds later the same answer, Age more than 60
#> Varnish: Age 59; four seconds later a new answer, Age 59
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
const origin = createHttpServer((_request, response) => {
  // Varnish would show an answer for ten more seconds otherwise, while it asks.
  response.setHeader('Cache-Control', 'max-age=60, stale-while-revalidate=0');
  response.setHeader('Age', '59');
  response.end(String(++asked));
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
const ports = { nginx: await freePort(), HAProxy: await freePort(), Varnish: await freePort() };
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
  spawn('nginx', ['-p', here, '-e', 'error.log', '-c', 'nginx.conf'], { stdio: 'ignore' }),
  spawn('haproxy', ['-f', 'haproxy.cfg'], { stdio: 'ignore' }),
  spawn('varnishd', ['-F', '-n', `${here}/varnish`, '-a', `127.0.0.1:${ports.Varnish}`, '-b', `127.0.0.1:${target}`, '-s', 'malloc,16M'], {
    stdio: 'ignore',
  }),
];
const get = async (name, path) => {
  const answer = await fetch(`http://127.0.0.1:${ports[name]}${path}`);
  return { body: await answer.text(), age: answer.headers.get('age'), status: answer.status };
};
try {
  for (const name of Object.keys(ports)) {
    for (let left = 300; left > 0; left--) {
      if ((await get(name, '/ready').catch(() => undefined))?.status === 200) break;
      await sleep(100);
    }
  }
  for (const name of Object.keys(ports)) {
    const first = await get(name, '/price');
    await sleep(4000);
    const later = await get(name, '/price');
    const told = (age) => (Number(age) > 60 ? 'more than 60' : (age ?? 'not told'));
    console.log(
      `${name}: Age ${told(first.age)}; four seconds later ${first.body === later.body ? 'the same answer' : 'a new answer'}, Age ${told(later.age)}`,
    );
  }
} finally {
  for (const child of processes) child.kill('SIGTERM');
  await Promise.all(processes.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  origin.close();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
