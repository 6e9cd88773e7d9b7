import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { EventSource } from 'eventsource';
import { describe, expect, test, vi } from 'vitest';
import { follow } from '../../examples/clients/live/event-source.ts';
import { createLive } from '../../examples/clients/live/subscribe.ts';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { nowS, startIssuer } from '../support/issuer.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { listen } from '../support/socket.ts';

// The examples that listen, as programs of their own, and what becomes of them when the gateway goes. Side by side, because most of it is waiting.

vi.stubGlobal('EventSource', EventSource);

const CLIENTS = path.join(import.meta.dirname, '../../examples/clients');
const NOTICES = 'subscription { notices { title } }';
const OUTAGE_MS = 60_000;

interface Notices {
  readonly notices: readonly { readonly title: string }[];
}

/** A database with one notice. */
const createNotice = async () => {
  const database = await createTestDatabase();
  const id = await insertNotice(database, { title: 'First' });
  const rename = (title: string) => database.sql('update notice set title = $1 where id = $2', [title, id]);
  return { ...database, rename };
};

interface Program extends AsyncDisposable {
  readonly child: ChildProcess;
  /** All that it has printed. */
  readonly output: () => string;
}

const runExample = (file: string, VITRINE_URL: string): Program => {
  const child = spawn(process.execPath, [path.join(CLIENTS, file)], { env: { PATH: process.env.PATH, VITRINE_URL } });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    child,
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await closed;
    },
  };
};

/** A proxy whose gateways are gone: its page of errors for every request. */
const startProxyWithoutGateways = async (port: number): Promise<AsyncDisposable> => {
  const server = createServer((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

test.concurrent('graphql-sse, urql, Apollo Client and EventSource go on after a restart, and after an outage of a minute', {
  timeout: 240_000,
}, async ({ expect }) => {
  await using database = await createNotice();
  const { rename } = database;
  const port = await findFreePort();
  const start = () => startGatewayProcess({ DATABASE_URL: database.url, PORT: String(port), ...PATIENT });
  await using gateways = new AsyncDisposableStack();
  let gateway = gateways.use(await start());
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    gateway.command.child.kill(signal);
    await gateway.command.ended;
  };

  const url = `http://127.0.0.1:${port}`;
  await using clients = new AsyncDisposableStack();
  const programs = ['live/main.ts', 'live/urql.ts', 'apollo/live.ts'].map((file) => clients.use(runExample(file, url)));
  let followed = '';
  clients.defer(follow<Notices>(`${url}/graphql`, NOTICES, (data) => (followed += JSON.stringify(data))));
  const untilAllShow = (title: string) =>
    expect
      .poll(() => [...programs.map(({ output }) => output()), followed].filter((output) => !output.includes(title)), {
        timeout: 60_000,
      })
      .toEqual([]);

  await untilAllShow('First');
  await rename('While they listen');
  await untilAllShow('While they listen');

  await end('SIGTERM');
  await rename('After a restart');
  gateway = gateways.use(await start());
  await untilAllShow('After a restart');

  await end('SIGKILL');
  const sinceMs = performance.now();
  const untilPassed = (ms: number) =>
    expect.poll(() => performance.now() - sinceMs, { interval: 500, timeout: ms + 10_000 }).toBeGreaterThan(ms);
  await untilPassed(OUTAGE_MS / 2);
  {
    await using _ = await startProxyWithoutGateways(port);
    await untilPassed(OUTAGE_MS);
  }
  await rename('After an outage');
  gateway = gateways.use(await start());
  await untilAllShow('After an outage');
  for (const { child, output } of programs) expect(child.exitCode, output()).toBe(null);
});

describe.concurrent('a subscription that is refused says so at once:', () => {
  /** Resolves to the error, and counts the attempts. */
  const refusalOf = async (url: string, query: string) => {
    let attempts = 0;
    const live = createLive(`${url}/graphql`, () => {
      attempts += 1;
      return {};
    });
    const error = await new Promise((resolve, reject) => {
      live<Notices>({ query }, { next: reject, error: resolve });
    });
    return { error, attempts };
  };

  test('without a token that is asked for', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { ...PATIENT, ACCESS_TOKENS: 'a-token-0123456789' });
    await using server = await listen(gateway);
    const { error, attempts } = await refusalOf(server.url, NOTICES);
    expect(error).toMatchObject({ response: { status: 401 } });
    expect(attempts).toBe(1);
  });

  test('with an operation that does not fit the schema', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, PATIENT);
    await using server = await listen(gateway);
    const { error, attempts } = await refusalOf(server.url, 'subscription { offers { title } }');
    expect(error).toMatchObject({ message: expect.stringContaining('offers') });
    expect(attempts).toBe(1);
  });
});

test.concurrent('a token that was renewed is used when the former one has expired, and one that was not is refused', async ({
  expect,
}) => {
  await using database = await createNotice();
  const { rename } = database;
  await using issuer = await startIssuer();
  const { sign } = await issuer.addKey('one');
  // Ten seconds are allowed for the issuer's clock.
  const [former, next] = [await sign({ exp: nowS() + 5 }), await sign({ exp: nowS() + 20 })];
  await using gateway = await createTestGateway(database, { ...PATIENT, ...issuer.environment });
  await using server = await listen(gateway);
  let token = former;
  let attempts = 0;
  const shown: string[] = [];
  const errors: unknown[] = [];
  const live = createLive(`${server.url}/graphql`, () => {
    attempts += 1;
    return { authorization: `Bearer ${token}` };
  });
  live<Notices>(
    { query: NOTICES },
    {
      next: ({ data }) => void shown.push(...(data?.notices.map(({ title }) => title) ?? [])),
      error: (error) => void errors.push(error),
    },
  );
  await rename('By the former');
  await expect.poll(() => shown.at(-1)).toBe('By the former');
  token = next;
  await expect.poll(() => attempts, { timeout: 40_000 }).toBe(2);
  await rename('By the next');
  await expect.poll(() => shown.at(-1), { timeout: 40_000 }).toBe('By the next');
  await expect.poll(() => errors, { timeout: 40_000 }).toMatchObject([{ response: { status: 401 } }]);
  expect(attempts).toBe(3);
});
