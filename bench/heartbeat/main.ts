import { parseArgs } from 'node:util';
import type pg from 'pg';
import { createListen } from '../../src/cache/listen.ts';
import { connectionConfig, DatabaseClient } from '../../src/database/connection.ts';
import { FEATURES } from '../../src/features.ts';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { connect } from '../database/kept-database.ts';
import { change } from '../growth/changes.ts';
import { cpuUsOf } from '../machine/process-usage.ts';
import { medianOf } from '../measure/median.ts';
import { endWithHelp } from '../program.ts';
import { textTable } from '../report/table.ts';

// What a heartbeat costs PostgreSQL, and what notifying costs those who write: `npm run bench:heartbeat`.

const HELP = `Measures what a heartbeat costs PostgreSQL, and what notifying costs those who write: about a minute.

  npm run bench:heartbeat -- [options]

  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one`;

const PRODUCTS = 100_000;
const HEARTBEATS = 5000;
const WRITERS = 16;
const LISTENERS = 40;
const ROUNDS = 5;
const ROUND_MS = 1500;

/** Median round trip in milliseconds, and CPU time of the server in microseconds. */
const measureHeartbeats = async (url: string): Promise<[roundTripMs: number, serverUs: number]> => {
  const client = new DatabaseClient(connectionConfig(url));
  await client.connect();
  const sendHeartbeat = await createListen(FEATURES)(client, () => {});
  const heartbeat = (): Promise<unknown> => sendHeartbeat(5, () => {});
  for (let warmUp = 0; warmUp < HEARTBEATS / 10; warmUp += 1) await heartbeat();
  const roundTripsMs: number[] = [];
  const pid = client.namedPid ?? 0;
  const beforeUs = cpuUsOf(pid) ?? Number.NaN;
  for (let heartbeats = 0; heartbeats < HEARTBEATS; heartbeats += 1) {
    const startMs = performance.now();
    await heartbeat();
    roundTripsMs.push(performance.now() - startMs);
  }
  const serverUs = ((cpuUsOf(pid) ?? Number.NaN) - beforeUs) / HEARTBEATS;
  await client.end();
  return [medianOf(roundTripsMs), serverUs];
};

/** Commits a second of writers that change the price of one product each, over and over. */
const measureCommits = async (writers: readonly pg.Client[]): Promise<number> => {
  const startMs = performance.now();
  let commits = 0;
  const write = async (client: pg.Client): Promise<void> => {
    while (performance.now() - startMs < ROUND_MS) {
      await change(client, 1 + Math.floor(Math.random() * PRODUCTS));
      commits += 1;
    }
  };
  await Promise.all(writers.map(write));
  return (commits / (performance.now() - startMs)) * 1000;
};

const { values } = parseArgs({
  options: { help: { type: 'boolean', short: 'h' }, 'database-url': { type: 'string' } },
});
if (values.help) endWithHelp(HELP);

await using databases = await openBenchDatabases({
  catalogue: catalogueOf(PRODUCTS),
  serverUrl: values['database-url'],
  log: console.error,
});
const { url, client } = databases.shared;

const [roundTripMs, serverUs] = await measureHeartbeats(url);
const heartbeat = [roundTripMs.toFixed(2), serverUs.toFixed(0)];
console.log(textTable(['round trip of a heartbeat, ms', "PostgreSQL's CPU, µs"], [heartbeat]));

await using writing = new AsyncDisposableStack();
const openMany = async (count: number): Promise<pg.Client[]> => {
  const clients = await Promise.all(Array.from({ length: count }, () => connect(url)));
  for (const each of clients) writing.defer(() => each.end());
  return clients;
};
const writers = await openMany(WRITERS);
const listeners = await openMany(LISTENERS);
const rates = new Map<string, number[]>();
const measureRound = async (name: string, triggers: 'enable' | 'disable', listen: string): Promise<void> => {
  await client.query(`alter table product ${triggers} trigger user`);
  for (const each of listeners) await each.query(listen);
  rates.set(name, [...(rates.get(name) ?? []), await measureCommits(writers)]);
};
for (let round = 0; round < ROUNDS; round += 1) {
  // In turn, so that what else the machine does meets all.
  await measureRound('without triggers', 'disable', 'unlisten *');
  await measureRound('nobody listens', 'enable', 'unlisten *');
  await measureRound(`${LISTENERS} listen`, 'enable', 'listen vitrine');
}
const commits = [...rates].map(([name, each]) => [name, medianOf(each).toFixed(0)]);
console.log(`\n${textTable([`${WRITERS} writers`, 'commits a second'], commits)}`);
