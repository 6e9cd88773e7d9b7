import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { hasCode } from '../../src/database/failures.ts';
import { type BusyClient, startBusyClient } from '../support/busy-client.ts';
import { createTestDatabase } from '../support/database.ts';
import { PATIENT } from '../support/gateway.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { openSession, untilViewsWait } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { numbers, stored } from '../support/views.ts';
import { wireTo } from '../support/wire.ts';

// The real program, ended while it is busy.

const database = await shared(createTestDatabase());
await database.sql(`insert into notice (title, content) values ('Read me', '…')`);

const start = (environment: Record<string, string> = {}): Promise<ServingProcess> =>
  startGatewayProcess({ DATABASE_URL: database.url, ...PATIENT, ...environment });

const open = async ({ url }: ServingProcess, bytes: string): Promise<net.Socket> => {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
};

/** Views that wait for a lock of the back office, which `release` lets go. */
const startViews = async (gateway: ServingProcess, count: number) => {
  const backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('update notice set title = title');
  const views = Promise.all(
    Array.from({ length: count }, () =>
      fetch(`${gateway.url}/api/notice/1`).then(
        async (response) => ({ status: response.status, body: (await response.json()) as { viewCount: number } }),
        (error: unknown) => ({ status: 0, error }),
      ),
    ),
  );
  await untilViewsWait(database);
  return {
    views,
    release: async () => {
      await backOffice.query('commit');
      await backOffice[Symbol.asyncDispose]();
    },
  };
};

const HEAD = 'GET /livez HTTP/1.1\r\nhost: x\r\n';
const BODY = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';

test('with 500 slow connections open, what was accepted is finished, and the process ends in time', async () => {
  await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '5000' });
  const slow = await Promise.all(
    Array.from({ length: 500 }, (_, index) => open(gateway, ['', HEAD, BODY, `${HEAD}\r\n`][index % 4] ?? '')),
  );
  const { views, release } = await startViews(gateway, 50);

  const startedMs = performance.now();
  gateway.command.child.kill('SIGTERM');
  await gateway.command.printed(/shutting down/);
  await release();
  for (const { status } of await views) expect(status).toBe(200);
  expect(await gateway.command.ended).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  for (const socket of slow) socket.destroy();
});

test('with SHUTDOWN_DELAY_MS, /readyz says no while requests are still answered, each closing its connection', async () => {
  await using gateway = await start({ SHUTDOWN_DELAY_MS: '1500' });
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  gateway.command.child.kill('SIGTERM');
  await gateway.command.printed(/shutting down/);

  const ready = await fetch(`${gateway.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toEqual({ status: 'unavailable', reason: 'shutting down' });
  const answer = await fetch(`${gateway.url}/api/notice/list`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close');
  expect(await gateway.command.ended).toBe(0);
});

describe('a keep-alive connection', () => {
  const post = (query: string): string => {
    const body = JSON.stringify({ query });
    return `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const get = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`;

  const CLIENTS_OF_EACH = 16;

  test.for([
    ['one process', {}],
    ['two workers', { WORKERS: '2' }],
  ] as const)('that is busy loses no answer before it is told to close, with %s', async ([, environment]) => {
    const id = await insertNotice(database);
    await using gateway = await start(environment);
    const startClients = (request: string): BusyClient[] =>
      numbers(1, CLIENTS_OF_EACH).map(() => startBusyClient(gateway.url, request));
    const counted = [
      ...startClients(get(`/api/notice/${id}`)),
      ...startClients(post(`{ notice(id: ${id}) { viewCount } }`)),
    ];
    const clients = [...counted, ...startClients(get('/api/notice/list')), ...startClients(post('{ notices { id } }'))];
    for (const client of clients) await client.answered(5);

    gateway.command.child.kill('SIGTERM');
    for (const client of clients) expect(await client.ended).toMatchObject({ isTold: true, error: undefined });
    expect(await gateway.command.ended).toBe(0);

    const answers = await Promise.all(counted.map(({ ended }) => ended));
    const bodies = answers.flatMap((answer) => answer.bodies);
    expect(bodies.filter((body) => !body.includes('"viewCount":'))).toEqual([]);
    const views = bodies.map((body) => Number(/"viewCount":(\d+)/.exec(body)?.[1]));
    expect(views.toSorted((a, b) => a - b)).toEqual(numbers(1, views.length));
    expect(await stored(database, id)).toBe(views.length);
  });

  test('that is idle is closed long before the time for the shutdown is over', async () => {
    await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '20000' });
    const [idle, unused] = await Promise.all([open(gateway, get('/livez')), open(gateway, '')]);
    await once(idle, 'data');
    const ends = [idle, unused].map((socket) => once(socket, 'close'));
    const startedMs = performance.now();
    gateway.command.child.kill('SIGTERM');
    expect(await gateway.command.ended).toBe(0);
    await Promise.all(ends);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test('on which a request takes longer than idle connections live is answered', async () => {
    await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '20000' });
    const idle = await open(gateway, get('/livez'));
    await once(idle, 'data');
    const { views, release } = await startViews(gateway, 8);
    gateway.command.child.kill('SIGTERM');
    // By then whatever is not answered has been cut.
    await once(idle, 'close');
    await release();
    for (const { status } of await views) expect(status).toBe(200);
    expect(await gateway.command.ended).toBe(0);
  });
});

test('a second signal ends it at once', async () => {
  await using gateway = await start();
  const { views, release } = await startViews(gateway, 1);
  gateway.command.child.kill('SIGTERM');
  await gateway.command.printed(/shutting down/);
  const startedMs = performance.now();
  gateway.command.child.kill('SIGTERM');
  expect(await gateway.command.ended).toBe(1);
  expect(performance.now() - startedMs).toBeLessThan(2000);
  expect((await views)[0]).toMatchObject({ status: 0 });
  await release();
});

test('a database that no longer speaks keeps it from ending no longer than it may', async () => {
  await using wire = await wireTo(database);
  await using gateway = await start({ DATABASE_URL: wire.url, SHUTDOWN_TIMEOUT_MS: '1500' });
  expect((await fetch(`${gateway.url}/api/notice/1`)).status).toBe(200);
  wire.freeze();
  const view = fetch(`${gateway.url}/api/notice/1`).catch(() => undefined);
  await expect.poll(() => fetch(`${gateway.url}/livez`).then(({ status }) => status)).toBe(200);

  const startedMs = performance.now();
  gateway.command.child.kill('SIGTERM');
  expect(await gateway.command.ended).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(3000);
  await view;
});

test('a database that has stopped neither, though it takes the goodbye', async () => {
  await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '1500' });
  expect((await fetch(`${gateway.url}/api/notice/1`)).status).toBe(200);
  const rows = await database.sql<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'vitrine'`,
  );
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of rows) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // It may have ended since, as those do that help with one statement.
        if (!hasCode(error, 'ESRCH')) throw error;
      }
    }
  };
  try {
    signal('SIGSTOP');
    const startedMs = performance.now();
    gateway.command.child.kill('SIGTERM');
    expect(await gateway.command.ended).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(3000);
  } finally {
    signal('SIGCONT');
  }
});

describe('an error that nobody caught is logged, and the process finishes what it has accepted and fails', () => {
  test.for([
    ['an exception', 'throw new Error("boom")'],
    ['a rejection that is no error', 'Promise.reject("boom")'],
  ])('%s', async ([, fault]) => {
    const script = `process.on('SIGUSR2', () => { ${fault} })`;
    await using gateway = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` });
    const { views, release } = await startViews(gateway, 5);
    gateway.command.child.kill('SIGUSR2');
    await gateway.command.printed(/"level":60.*boom/);
    await gateway.command.printed(/shutting down/);
    await release();
    for (const { status } of await views) expect(status).toBe(200);
    expect(await gateway.command.ended).toBe(1);
  });
});
