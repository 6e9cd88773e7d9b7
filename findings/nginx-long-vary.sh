#!/bin/sh
# nginx never stores an answer whose `Vary` is longer than 128 characters, nor revalidates a long `ETag`
#
# Expected: `proxy_cache` stores what `Cache-Control: max-age` allows unless `Vary` is `*`, whatever the number of
#   headers that it names; with `proxy_cache_revalidate on` it sends the `ETag` of an answer that is too old.
# Happens: a cache file has 128 bytes for `Vary` and 128 for `ETag`, constants of the source. An answer with a
#   longer `Vary` is not stored, and nothing says so in the log: each request is a MISS. A longer `ETag` (quotes
#   included) is left out of the file: the answer is stored, passed on with it, and then fetched whole again.
# Matters: frameworks add to `Vary`, one header for each layer (CORS alone names Origin and two
#   Access-Control-Request headers; Next.js, tenants, languages and feature flags name others). One name more
#   and the cache is off. Entity tags get that long by two SHA-512 digests, or a list of versions.
# Versions: nginx 1.22.1 (Debian 12, package nginx), Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> Vary of 128 characters: MISS, then HIT; asked the origin 1 times
#> Vary of 129 characters: MISS, then MISS; asked the origin 2 times
#> ETag of 128 characters: MISS, then REVALIDATED; asked the origin 2 times, 1 with If-None-Match
#> ETag of 129 characters: MISS, then EXPIRED; asked the origin 2 times, 0 with If-None-Match
#> warnings in the log: 0
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
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

let asked = 0;
let conditional = 0;
const origin = createHttpServer((request, response) => {
  const url = new URL(request.url, 'http://origin');
  asked++;
  response.setHeader('Cache-Control', `max-age=${url.searchParams.get('age')}`);
  const vary = url.searchParams.get('vary');
  const tag = url.searchParams.get('tag');
  if (vary) response.setHeader('Vary', vary);
  if (tag) response.setHeader('ETag', `"${tag}"`);
  if (request.headers['if-none-match']) {
    conditional++;
    if (request.headers['if-none-match'] === `"${tag}"`) response.statusCode = 304;
  }
  response.end(response.statusCode === 304 ? undefined : 'an answer');
}).listen(0, '127.0.0.1');
await once(origin, 'listening');
const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
writeFileSync('nginx.conf', `daemon off; pid nginx.pid; error_log error.log warn; events {}
http {
  access_log off; ${temporary.join(' ')}
  proxy_cache_path cache keys_zone=answers:1m;
  server {
    listen 127.0.0.1:${port};
    proxy_cache answers;
    proxy_cache_revalidate on;
    add_header x-cache $upstream_cache_status;
    location / { proxy_pass http://127.0.0.1:${origin.address().port}; }
  }
}`);
const nginx = spawn('nginx', ['-p', process.cwd(), '-e', 'error.log', '-c', 'nginx.conf'], { stdio: 'inherit' });
const get = (parameters) =>
  fetch(`http://127.0.0.1:${port}/?${new URLSearchParams(parameters)}`).then(async (answer) => {
    await answer.text();
    return answer.headers.get('x-cache');
  });
for (let left = 100; left > 0; left--) {
  if (await get({ age: 0 }).catch(() => undefined)) break;
  await sleep(100);
}
const names = Array.from({ length: 40 }, (_, place) => `x-${place}`).join(', ');
try {
  for (const length of [128, 129]) {
    asked = 0;
    const parameters = { age: 60, vary: `${names.slice(0, length - 1)}x` };
    const statuses = [await get(parameters), await get(parameters)];
    console.log(`Vary of ${length} characters: ${statuses.join(', then ')}; asked the origin ${asked} times`);
  }
  for (const length of [128, 129]) {
    asked = conditional = 0;
    const parameters = { age: 1, tag: 't'.repeat(length - 2) };
    const first = await get(parameters);
    // The clock of nginx counts whole seconds.
    await sleep(3000);
    const second = await get(parameters);
    console.log(
      `ETag of ${length} characters: ${first}, then ${second}; asked the origin ${asked} times, ${conditional} with If-None-Match`,
    );
  }
} finally {
  nginx.kill('SIGTERM');
  await once(nginx, 'exit');
  origin.close();
}
console.log(`warnings in the log: ${readFileSync('error.log', 'utf8').split('\n').filter((line) => / \[(warn|error|crit|alert)\] /.test(line)).length}`);
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
