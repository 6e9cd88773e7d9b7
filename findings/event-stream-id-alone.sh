#!/bin/sh
# A block of an event stream with only an `id` moves one client's cursor and not the next one's
#
# Expected: `id: 7` and an empty line, without data, is no event, but it is remembered: the next event's
#   `lastEventId` is 7, and a reconnection sends `Last-Event-ID: 7` (HTML's standard, "dispatch the event": the
#   id is set first, then a block without data ends there). Servers move their readers' place so after
#   events that were filtered out.
# Happens: undici's EventSource does so. `eventsource` knows nothing of this id. And fetch-event-source
#   remembers it, and calls `onmessage` for this block with empty data, as it does for a block of only
#   `retry` or of only a comment, a ping: `JSON.parse('')` throws there.
# Matters: after a quiet hour the first client begins where it was, the second repeats the hour, and the
#   third fails on the first ping.
# Versions: undici 7.30.2, eventsource 4.1.1, @microsoft/fetch-event-source 2.0.1 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> undici: messages "first" "second", Last-Event-ID 7
#> eventsource: messages "first" "second", Last-Event-ID undefined
#> fetch-event-source: messages "" "" "first" "" "second", Last-Event-ID 7
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund undici@7.30.2 eventsource@4.1.1 @microsoft/fetch-event-source@2.0.1 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { EventSource } from 'eventsource';
import { EventSource as UndiciEventSource } from 'undici';

// What fetch-event-source needs of a browser.
globalThis.document = { addEventListener() {}, hidden: false, removeEventListener() {} };
globalThis.window = globalThis;

const resumed = new Map();
const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const resume = resumed.get(request.url);
  if (!resume.begun) {
    resume.begun = true;
    response.end('retry: 50\n\n: ping\n\ndata: first\n\nid: 7\n\n');
  } else {
    response.write('data: second\n\n');
    resume.done(request.headers['last-event-id']);
  }
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const show = async (label, listen) => {
  const path = `/${label}`;
  const seen = [];
  const resume = new Promise((done) => resumed.set(path, { begun: false, done }));
  let second;
  const received = new Promise((done) => {
    second = done;
  });
  const stop = listen(`http://127.0.0.1:${server.address().port}${path}`, (data) => {
    seen.push(JSON.stringify(data));
    if (data === 'second') second();
  });
  const id = await resume;
  await received;
  stop();
  console.log(`${label}: messages ${seen.join(' ')}, Last-Event-ID ${id}`);
};
for (const [label, Source] of Object.entries({ undici: UndiciEventSource, eventsource: EventSource })) {
  await show(label, (url, message) => {
    const source = new Source(url);
    source.onmessage = ({ data }) => message(data);
    return () => source.close();
  });
}
await show('fetch-event-source', (url, message) => {
  const abort = new AbortController();
  fetchEventSource(url, {
    onclose: () => {
      throw new Error('again');
    },
    onerror: () => 50,
    onmessage: ({ data }) => message(data),
    openWhenHidden: true,
    signal: abort.signal,
  });
  return () => abort.abort();
});
server.closeAllConnections();
server.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
