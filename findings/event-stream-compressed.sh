#!/bin/sh
# Compressed by HAProxy, the end of each event of a stream comes with the next event; by nginx and Varnish, all come at the end
#
# Expected: a proxy that compresses passes on what it has when nothing more comes: gzip can be flushed at any point, for
#   that purpose. An event stream gets smaller and stays as quick as it was, or it is left alone.
# Happens: HAProxy passes each event on at once but for its last bytes, which wait within the compressor for the next
#   one. What is missing is the empty line that ends the event, so a client acts on each event when the next one comes.
#   nginx, with `gzip_types *`, does not even send the response's head before the end, and `X-Accel-Buffering: no` of
#   the origin makes it send each event at once. Varnish with `do_gzip` sends the head and keeps all events.
#   `Cache-Control: no-transform` switches HAProxy's compression off and is nothing to the other two.
# Matters: HAProxy's `compression algo gzip`, without a list of types, is for all types, and so are rules such as
#   `content-type ~ "text"`. Pings hide it: the event comes with the ping after it, twelve seconds late. curl, which
#   doesn't ask for gzip, sees each at once.
# Versions: HAProxy 2.6.12, nginx 1.22.1, Varnish 7.1.1 (Debian 12, packages haproxy, nginx, varnish), Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> HAProxy, plain, gzip: events read when 1, 2, 3, 4 were sent: 0, 1, 2, 3; at the end 4
#> HAProxy, unbuffered, gzip: events read when 1, 2, 3, 4 were sent: 0, 1, 2, 3; at the end 4
#> HAProxy, no-transform, not compressed: events read when 1, 2, 3, 4 were sent: 1, 2, 3, 4; at the end 4
#> nginx, plain, gzip: events read when 1, 2, 3, 4 were sent: 0, 0, 0, 0; at the end 4
#> nginx, unbuffered, gzip: events read when 1, 2, 3, 4 were sent: 1, 2, 3, 4; at the end 4
#> nginx, no-transform, gzip: events read when 1, 2, 3, 4 were sent: 0, 0, 0, 0; at the end 4
#> Varnish, plain, gzip: events read when 1, 2, 3, 4 were sent: 0, 0, 0, 0; at the end 4
#> Varnish, unbuffered, gzip: events read when 1, 2, 3, 4 were sent: 0, 0, 0, 0; at the end 4
#> Varnish, no-transform, gzip: events read when 1, 2, 3, 4 were sent: 0, 0, 0, 0; at the end 4
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for pair in haproxy:haproxy nginx:nginx varnishd:varnish; do
  command -v "${pair%:*}" >/dev/null || { apt-get update && apt-get install -y "${pair#*:}"; } >&2
done
chmod 755 "$folder"
cd "$folder"
cat >find.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

const EVENTS = 4;
const HEADERS = { '/plain': {}, '/unbuffered': { 'X-Accel-Buffering': 'no' }, '/no-transform': { 'Cache-Control': 'no-cache, no-transform' } };
// An event every half second; before the next one, the reader's events are counted.
let read = 0;
let counts = [];
const origin = createHttpServer(async (request, response) => {
  const headers = HEADERS[request.url];
  if (!headers) return response.end('ready');
  response.writeHead(200, { 'Cache-Control': 'no-cache', 'Content-Type': 'text/event-stream', ...headers });
  for (let event = 1; event <= EVENTS; event++) {
    response.write(`data: event ${event}\n\n`);
    await sleep(500);
    counts.push(read);
  }
  response.end();
}).listen(0, '127.0.0.1');
await once(origin, 'listening');
const { port } = origin.address();
const freePort = async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address();
  probe.close();
  return free;
};
const here = process.cwd();
const PROXIES = {
  HAProxy: (own) => {
    writeFileSync('haproxy.cfg', `defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
listen shop
  bind 127.0.0.1:${own}
  compression algo gzip
  server origin 127.0.0.1:${port}
`);
    return ['haproxy', '-f', 'haproxy.cfg'];
  },
  nginx: (own) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${here}/${name};`).join(' ');
    writeFileSync('nginx.conf', `daemon off; pid ${here}/nginx.pid; error_log ${here}/error.log; events {}
http { access_log off; ${temporary} gzip on; gzip_types *;
  server { listen 127.0.0.1:${own}; location / { proxy_pass http://127.0.0.1:${port}; proxy_http_version 1.1; } } }
`);
    return ['nginx', '-c', `${here}/nginx.conf`, '-e', `${here}/error.log`];
  },
  Varnish: (own) => {
    writeFileSync('default.vcl', `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${port}"; }
sub vcl_backend_response { if (beresp.http.content-type ~ "text") { set beresp.do_gzip = true; } }
`);
    mkdirSync('work');
    return ['varnishd', '-F', '-j', 'none', '-a', `127.0.0.1:${own}`, '-f', `${here}/default.vcl`, '-n', `${here}/work`, '-s', 'malloc,20m'];
  },
};
for (const [name, prepare] of Object.entries(PROXIES)) {
  const own = await freePort();
  const [program, ...args] = prepare(own);
  const proxy = spawn(program, args, { stdio: 'ignore' });
  try {
    for (let left = 100; left > 0; left--) {
      if (await fetch(`http://127.0.0.1:${own}/`).then((answer) => answer.ok, () => false)) break;
      await sleep(100);
    }
    for (const path of Object.keys(HEADERS)) {
      read = 0;
      counts = [];
      const [response] = await once(get({ headers: { 'Accept-Encoding': 'gzip' }, host: '127.0.0.1', path, port: own }), 'response');
      const encoding = response.headers['content-encoding'];
      let text = '';
      for await (const chunk of encoding === 'gzip' ? response.pipe(createGunzip({})) : response) {
        text += chunk;
        read = text.split('\n\n').length - 1;
      }
      console.log(`${name}, ${path.slice(1)}, ${encoding ?? 'not compressed'}: events read when 1, 2, 3, 4 were sent: ${counts.join(', ')}; at the end ${read}`);
    }
  } finally {
    proxy.kill();
    await once(proxy, 'exit');
  }
}
origin.closeAllConnections();
origin.close();
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
