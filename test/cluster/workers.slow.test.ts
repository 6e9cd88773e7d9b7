import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { getByNewConnection, keepAsking } from '../support/asking.ts';
import { createTestDatabase } from '../support/database.ts';
import { PATIENT } from '../support/gateway.ts';
import { childrenOf, runCli, type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { parseMetrics, type Scrape } from '../support/scrape.ts';
import { openSession, untilViewsWait } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectHonest, numbers, numbersOf, startLoad, stored, view } from '../support/views.ts';

// WORKERS=2, as real processes.

/** The processes of a gateway's workers, on a database that is not its own. */
const workersOf = ({ command }: ServingProcess): Promise<number[]> => childrenOf(command.child.pid);

/** Whether a process is there, and not just waiting for its parent to notice its end. */
const runs = async (pid: number): Promise<boolean> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' Z ');
  return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2));
};
const LONG = { timeout: 60_000 };

const database = await shared(createTestDatabase());
await insertProduct(database, { category_id: await insertCategory(database) });

const start = (environment: Record<string, string> = {}): Promise<ServingProcess> =>
  startGatewayProcess({ DATABASE_URL: database.url, WORKERS: '2', ...environment });

const scrape = async ({ url }: ServingProcess): Promise<Scrape> =>
  parseMetrics((await getByNewConnection(`${url}/metrics`)).text);

const untilNew = (gateway: ServingProcess, old: readonly number[]): Promise<void> =>
  expect
    .poll(async () => {
      const workers = await workersOf(gateway);
      return workers.length === 2 && old.every((pid) => !workers.includes(pid));
    }, LONG)
    .toBe(true);

describe('two workers', () => {
  let gateway: ServingProcess;
  let asked = 0;

  beforeAll(async () => {
    gateway = await start({ ...PATIENT, CACHE_MAX_MB: '100', SHUTDOWN_TIMEOUT_MS: '4000' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test('listen once', async () => {
    expect(gateway.command.output().match(/listening on/g)).toHaveLength(1);
    expect(await workersOf(gateway)).toHaveLength(2);
  });

  test('all take requests, are live and ready, and say in the log which of them it was', async () => {
    for (const target of ['/livez', '/readyz']) {
      for (const _ of numbers(1, 4)) expect((await getByNewConnection(gateway.url + target)).status).toBe(200);
    }
    // The system distributes the connections, not in turn.
    const hasAnswered = (worker: number): boolean =>
      new RegExp(`"worker":${worker},.*/api/product/1`).test(gateway.command.output());
    await expect
      .poll(async () => {
        expect((await getByNewConnection(`${gateway.url}/api/product/1`)).status).toBe(200);
        asked += 1;
        return [1, 2].every(hasAnswered);
      }, LONG)
      .toBe(true);
    const lines = gateway.command.output().trim().split('\n');
    for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
  });

  test('have one page of metrics, with their sums', async () => {
    const { sum } = await scrape(gateway);
    expect(sum('vitrine_requests_total', { operation: 'product' })).toBe(asked);
    expect(sum('vitrine_request_duration_seconds_count', { operation: 'product' })).toBe(asked);
    expect(sum('vitrine_request_duration_seconds_bucket', { operation: 'product', le: '+Inf' })).toBe(asked);
    expect(sum('vitrine_database_pool_max')).toBe(20);
    expect(sum('vitrine_cache_max_bytes')).toBe(200 * 1_048_576);
    expect(sum('vitrine_cache_entries')).toBe(2);
    expect(sum('vitrine_workers')).toBe(2);
    expect(sum('vitrine_worker_deaths_total')).toBe(0);
    // What is not of each of them, but true or false, or the worst.
    expect(sum('vitrine_build_info')).toBe(1);
    expect(sum('vitrine_freshness_monitor_connected')).toBe(1);
    expect(Math.abs(sum('process_start_time_seconds') - Date.now() / 1000)).toBeLessThan(100);
    expect(sum('nodejs_eventloop_lag_p99_seconds')).toBeLessThan(1);
    expect(sum('process_resident_memory_bytes')).toBeGreaterThan(150e6);
  });

  test('are replaced when they are killed, while the other answers and what was counted stays counted', async () => {
    const before = await scrape(gateway);
    const [first = 0, second = 0] = await workersOf(gateway);
    process.kill(first, 'SIGKILL');
    // Until its end is noticed, a connection may be handed to it.
    await gateway.command.printed(/ended with SIGKILL; it is replaced/);
    for (const _ of numbers(1, 10)) expect((await getByNewConnection(`${gateway.url}/api/product/1`)).status).toBe(200);
    await untilNew(gateway, [first]);
    await gateway.command.printed(/replaces it/);
    expect(await workersOf(gateway)).toContain(second);

    const { sum } = await scrape(gateway);
    const products = { operation: 'product' };
    expect(sum('vitrine_requests_total', products)).toBe(before.sum('vitrine_requests_total', products) + 10);
    expect(sum('vitrine_worker_deaths_total')).toBe(1);
    expect(sum('vitrine_workers')).toBe(2);
    expect(sum('vitrine_database_pool_max')).toBe(20);
  });

  test('that end one after the other lose nothing that was counted since the last scrape', async () => {
    const products = { operation: 'product' };
    const before = (await scrape(gateway)).sum('vitrine_requests_total', products);
    for (const _ of numbers(1, 10)) expect((await getByNewConnection(`${gateway.url}/api/product/1`)).status).toBe(200);
    const replacements = (): number => gateway.command.output().match(/replaces it/g)?.length ?? 0;
    for (const pid of await workersOf(gateway)) {
      const known = replacements();
      process.kill(pid, 'SIGTERM');
      await expect.poll(replacements, LONG).toBe(known + 1);
    }
    expect((await scrape(gateway)).sum('vitrine_requests_total', products)).toBe(before + 10);
  });

  test('leave nobody waiting for what a killed one was about to take', async () => {
    const [first = 0] = await workersOf(gateway);
    await using asking = keepAsking(`${gateway.url}/api/product/1`, 16);
    await expect.poll(asking.count, LONG).toBeGreaterThan(200);
    process.kill(first, 'SIGKILL');
    await gateway.command.printed(new RegExp(`process ${first}\\) ended with SIGKILL`));
    const endedMs = performance.now();
    await untilNew(gateway, [first]);
    const failed = await asking.stop();
    expect(failed.filter(({ isGivenUp }) => isGivenUp)).toEqual([]);
    // Until then a client may be unlucky more than once: the system closes the sockets of the killed one after the other.
    expect(failed.filter(({ startedMs }) => startedMs > endedMs)).toEqual([]);
  });

  test('count each view once, while one after the other is killed', async () => {
    const ids = await Promise.all(numbers(1, 3).map(() => insertNotice(database)));
    // One whose connection was on its way to the worker that was killed gets no answer at all.
    const look: typeof view = (url, id, api) =>
      Promise.race([view(url, id, api), new Promise<never>((_, reject) => setTimeout(reject, 5000).unref())]).catch(
        () => ({ status: 0, number: undefined, retryAfter: null }),
      );
    await using load = startLoad({ url: () => gateway.url, ids, clients: 30, look });
    for (const _ of numbers(1, 2)) {
      await load.answered(200);
      const [pid = 0] = await workersOf(gateway);
      process.kill(pid, 'SIGKILL');
      await untilNew(gateway, [pid]);
      await expectHonest(database, load.tally);
    }
    await load.answered(200);
    await load.stop();
    await expectHonest(database, load.tally);
    expect(load.count(0), 'views were cut off').toBeGreaterThan(0);
  });

  test('do not outlive a primary that is killed', async () => {
    const workers = await workersOf(gateway);
    gateway.command.child.kill('SIGKILL');
    await expect.poll(async () => (await Promise.all(workers.map(runs))).some(Boolean), LONG).toBe(false);
    expect((await getByNewConnection(`${gateway.url}/livez`)).status).toBe(0);
  });
});

describe('a shutdown', () => {
  test('finishes what every worker has, says no at /readyz meanwhile, and exits with 0', async () => {
    const id = await insertNotice(database);
    await using gateway = await start({ DATABASE_TIMEOUT_MS: '20000', SHUTDOWN_DELAY_MS: '1000' });
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('update notice set title = title where id = $1', [id]);
    const views = Promise.all(numbers(1, 20).map(() => getByNewConnection(`${gateway.url}/api/notice/${id}`)));
    // Each worker has a statement of its own that waits.
    await untilViewsWait(database, 2);
    gateway.command.child.kill('SIGTERM');
    await gateway.command.printed(/shutting down/);
    await expect
      .poll(async () => (await getByNewConnection(`${gateway.url}/readyz`)).text, LONG)
      .toContain('shutting down');
    expect((await getByNewConnection(`${gateway.url}/readyz`)).text).toContain('shutting down');
    expect((await getByNewConnection(`${gateway.url}/livez`)).status).toBe(200);
    await backOffice.query('commit');
    for (const { status } of await views) expect(status).toBe(200);
    expect(await stored(database, id)).toBe(20);
    expect(await gateway.command.ended).toBe(0);
  });

  test('under load counts what it answers, and nothing else', async () => {
    const id = await insertNotice(database);
    await using gateway = await start();
    await using load = startLoad({ url: () => gateway.url, ids: [id], clients: 20 });
    await load.answered(300);
    gateway.command.child.kill('SIGTERM');
    expect(await gateway.command.ended).toBe(0);
    await load.stop();
    const answered = numbersOf(load.tally.get(id)?.views ?? []);
    const count = await stored(database, id);
    // Only a view that was refused, because its statement was given up on a busy machine, may have been counted unseen.
    expect(count - answered.length).toBeGreaterThanOrEqual(0);
    expect(count - answered.length).toBeLessThanOrEqual(load.count(503));
    expect(new Set(answered).size).toBe(answered.length);
    expect(answered.at(-1) ?? 0).toBeLessThanOrEqual(count);
  });

  test('waits for the worker that is busy, and a second signal ends all at once', async () => {
    await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '20000' });
    const workers = await workersOf(gateway);
    // A request that never comes whole.
    const { hostname, port } = new URL(gateway.url);
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
    for (const _ of workers) expect((await getByNewConnection(`${gateway.url}/livez`)).status).toBe(200);
    await using asking = keepAsking(`${gateway.url}/livez`, 8);
    await expect.poll(asking.count, LONG).toBeGreaterThan(100);
    gateway.command.child.kill('SIGTERM');
    await gateway.command.printed(/shutting down/);
    await expect.poll(async () => (await Promise.all(workers.map(runs))).filter(Boolean).length, LONG).toBe(1);
    expect((await asking.stop()).filter(({ isGivenUp }) => isGivenUp)).toEqual([]);
    gateway.command.child.kill('SIGTERM');
    expect(await gateway.command.ended).toBe(1);
    await expect.poll(async () => (await Promise.all(workers.map(runs))).some(Boolean), LONG).toBe(false);
  });
});

describe('workers that do not start', () => {
  test.each([
    ['migrations are pending', {}, 'npx vitrine migrate'],
    ['the address is none of this machine', { HOST: '192.0.2.1' }, 'HOST is 192.0.2.1'],
  ])('end the first start with one clear message: %s', async (_, environment, message) => {
    await using lagging = await createTestDatabase({ migrated: 'HOST' in environment });
    const command = runCli(['serve'], { PORT: '4999', WORKERS: '2', DATABASE_URL: lagging.url, ...environment });
    expect(await command.ended).toBe(1);
    expect(command.output().split(message)).toHaveLength(2);
    expect(command.output()).not.toMatch(/^\s+at /m);
  });

  test('leave those that run alone, and are tried again', async () => {
    await using folder = await temporaryFolder();
    await using gateway = await start({ REST_DOCUMENTS: folder.path });
    const old = await workersOf(gateway);
    const document = await folder.write('notice.graphql', 'query Notice($id: Int!) { notice(id: $id) { views } }');
    process.kill(old[0] ?? 0, 'SIGKILL');
    await gateway.command.printed(/it is tried again.*it is tried again/s);
    expect(gateway.command.output()).toContain('Cannot query field');
    expect(await workersOf(gateway)).toContain(old[1]);
    expect((await getByNewConnection(`${gateway.url}/api/product/1`)).status).toBe(200);
    await rm(document);
    await gateway.command.printed(/replaces it/);
  });
});

test('with a database of its own, set up once, all end with Ctrl-C', async () => {
  await using folder = await temporaryFolder();
  await using gateway = await startGatewayProcess({ DATA_DIR: folder.path, WORKERS: '2' });
  await gateway.command.printed(/Ctrl-C stops both/);
  expect(gateway.command.output().match(/filled with the demo catalogue/g)).toHaveLength(1);
  const children = await childrenOf(gateway.command.child.pid);
  for (const _ of numbers(1, 4)) expect((await getByNewConnection(`${gateway.url}/api/product/hot`)).status).toBe(200);
  // A terminal sends it to all of them.
  for (const pid of [...children, gateway.command.child.pid ?? 0]) process.kill(pid, 'SIGINT');
  expect(await gateway.command.ended).toBe(0);
  expect((await Promise.all(children.map(runs))).some(Boolean)).toBe(false);
});

test('a terminal that is closed ends them all', async () => {
  const serve = `exec ${process.execPath} ${path.join(import.meta.dirname, '../../src/cli.ts')} serve`;
  // Gives it a terminal, which is gone when it is: https://man7.org/linux/man-pages/man1/script.1.html
  const terminal = spawn('script', ['-qfc', serve, '/dev/null'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      WORKERS: '2',
      PORT: `${await findFreePort()}`,
      HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let output = '';
    terminal.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await expect.poll(() => output, LONG).toContain('listening on');
    const [primary = 0] = await childrenOf(terminal.pid);
    const all = [primary, ...(await childrenOf(primary))];
    expect(all).toHaveLength(3);
    terminal.kill('SIGKILL');
    await expect.poll(async () => (await Promise.all(all.map(runs))).some(Boolean), LONG).toBe(false);
  } finally {
    terminal.kill('SIGKILL');
  }
});
