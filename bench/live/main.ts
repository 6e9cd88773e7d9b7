import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { startGatewayProcess } from '../../test/support/process.ts';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { chooseCores, onCore } from '../machine/cores.ts';
import { cpuUsOf, rssMbOf } from '../machine/process-usage.ts';
import { medianOf } from '../measure/median.ts';
import { positive } from '../options.ts';
import { endWithHelp } from '../program.ts';
import { textTable } from '../report/table.ts';

// How soon a change reaches many listeners, and what a listener takes: `npm run bench:live`.

const HELP = `Measures how soon a change of a product reaches all who listen to it, and what a listener takes.

  npm run bench:live -- [options]

  --listeners N         to the same product (2000)
  --changes N           that are measured, four a second (20)
  --seconds N           how long the listeners stay after that, with a change each second, while their memory is watched (0)`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    listeners: { type: 'string', default: '2000' },
    changes: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '0' },
  },
});
if (values.help) endWithHelp(HELP);
const listenerCount = positive('listeners', values.listeners);
const changeCount = positive('changes', values.changes);
const soakSeconds = values.seconds === '0' ? 0 : positive('seconds', values.seconds);

const QUERY = 'subscription { product(id: 1) { name price { amount } stock description category { name } } }';
const SETTLE_MS = 3000;
const WARM_UP_CONNECTIONS = 500;

/** All listeners together. */
class Listeners {
  readonly #sockets: net.Socket[] = [];
  readonly #url: URL;
  events = 0;
  cut = 0;
  #awaited = Number.POSITIVE_INFINITY;
  #onArrival = (): void => {};

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async add(count: number): Promise<void> {
    for (let added = 0; added < count; added += 100) {
      const before = this.events;
      const size = Math.min(100, count - added);
      const arrived = this.arrival(before + size);
      for (let index = 0; index < size; index += 1) this.#open();
      await arrived;
    }
  }

  #open(): void {
    const socket = net.connect(Number(this.#url.port), this.#url.hostname);
    const target = `/graphql?${new URLSearchParams({ query: QUERY })}`;
    socket.write(`GET ${target} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n`);
    socket.on('data', (chunk) => {
      if (!chunk.includes('event: next')) return;
      this.events += 1;
      if (this.events >= this.#awaited) this.#onArrival();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.cut += 1;
    });
    this.#sockets.push(socket);
  }

  /** Resolves when there have been so many events. */
  arrival(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = count;
      this.#onArrival = resolve;
      if (this.events >= count) resolve();
    });
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}

const cores = chooseCores();
await using databases = await openBenchDatabases({
  catalogue: catalogueOf(1000),
  serverUrl: undefined,
  log: console.error,
});
const { url, client } = databases.shared;
await using gateway = await startGatewayProcess(
  {
    DATABASE_URL: url,
    MAX_SUBSCRIPTIONS: String(listenerCount + WARM_UP_CONNECTIONS),
    LOG_REQUESTS: 'none',
    NODE_ENV: 'production',
  },
  cores ? onCore(cores.server, ['env']) : [],
  // As `npm start` does: without them, most of what a listener seems to take is memory that V8 has not given back.
  packageJson.scripts.start.match(/--\S+/g) ?? [],
);
const pid = gateway.command.child.pid ?? 0;
const rssMb = (): number => rssMbOf(pid) ?? Number.NaN;

// Code is loaded and compiled, and the heap has grown, before anything is measured.
const warmUp = new Listeners(gateway.url);
await warmUp.add(WARM_UP_CONNECTIONS);
warmUp.close();
await delay(SETTLE_MS);
const idleMb = rssMb();

const listeners = new Listeners(gateway.url);
await listeners.add(listenerCount);
await delay(SETTLE_MS);
const listeningMb = rssMb();

const change = async (): Promise<number> => {
  const arrived = listeners.arrival(listeners.events + listenerCount);
  await client.query('update product set price = price + 0.01, stock = stock + 1 where id = 1');
  const committedMs = performance.now();
  await arrived;
  return performance.now() - committedMs;
};

const lagsMs: number[] = [];
const beforeUs = cpuUsOf(pid) ?? Number.NaN;
for (let changes = 0; changes < changeCount; changes += 1) {
  lagsMs.push(await change());
  await delay(250);
}
const cpuMs = ((cpuUsOf(pid) ?? Number.NaN) - beforeUs) / 1000 / changeCount;

const sizesMb: number[] = [];
for (let second = 0; second < soakSeconds; second += 1) {
  lagsMs.push(await change());
  await delay(1000);
  if (second % 60 === 59) {
    sizesMb.push(rssMb());
    console.error(`${second + 1} s: ${rssMb().toFixed(1)} MB, ${listeners.cut} cut`);
  }
}

const kilobytes = ((listeningMb - idleMb) * 1024) / listenerCount;
console.log(
  textTable(
    ['listeners', 'kB each', 'median, ms', 'slowest, ms', 'CPU a change, ms', 'cut'],
    [
      [
        String(listenerCount),
        kilobytes.toFixed(1),
        medianOf(lagsMs).toFixed(0),
        Math.max(...lagsMs).toFixed(0),
        cpuMs.toFixed(0),
        String(listeners.cut),
      ],
    ],
  ),
);
if (sizesMb.length > 0)
  console.log(`resident memory, a minute each: ${sizesMb.map((mb) => mb.toFixed(1)).join(' ')} MB`);
listeners.close();
