#!/bin/sh
# graphql-yoga sends forty times as many comments on an event stream under a test runner
#
# Expected: the bytes of a subscription's stream don't depend on the word in NODE_ENV, and a stream is kept
#   awake every twelve seconds.
# Happens: where NODE_ENV is `test`, as vitest and jest set it, a comment goes out every 300 ms. No
#   option sets either interval.
# Matters: tests that read chunks find comments between events that production doesn't have for twelve
#   seconds, and a client that takes a lost comment for a lost connection, or a proxy's idle
#   timeout of five seconds, is tested green and fails in production.
# Versions: graphql-yoga 5.24.1 with graphql 17.1.0 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> NODE_ENV=test: more than one comment before the event of the second second: true
#> NODE_ENV=production: more than one comment before the event of the second second: false
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund graphql@17.1.0 graphql-yoga@5.24.1 >&2
cat >find.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { createSchema, createYoga } from 'graphql-yoga';

const subscribe = async function* () {
  await sleep(2000);
  yield { tick: 1 };
};
const schema = createSchema({
  resolvers: { Subscription: { tick: { subscribe } } },
  typeDefs: 'type Query { name: String } type Subscription { tick: Int }',
});
const yoga = createYoga({ logging: false, schema });
const answer = await yoga.fetch('http://localhost/graphql', {
  body: JSON.stringify({ query: 'subscription { tick }' }),
  headers: { Accept: 'text/event-stream', 'Content-Type': 'application/json' },
  method: 'POST',
});
const before = (await answer.text()).split('event: next')[0];
const comments = before.split('\n').filter((line) => line.startsWith(':')).length;
console.log(`NODE_ENV=${process.env.NODE_ENV}: more than one comment before the event of the second second: ${comments > 1}`);
JS
for env in test production; do NODE_ENV=$env node find.mjs; done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
