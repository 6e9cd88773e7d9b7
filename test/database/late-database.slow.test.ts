import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { runCli } from '../support/process.ts';
import { shared } from '../support/shared.ts';

// The real program, started before its database.

const database = await shared(createTestDatabase());

/** ErrorResponse: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const errorResponse = (code: string, message: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
};

type Meet = (client: net.Socket) => void;

const refuseWith =
  (code: string, message: string): Meet =>
  (client) =>
    client.once('data', () => client.end(errorResponse(code, message)));

interface LateServer extends AsyncDisposable {
  readonly url: string;
  /** From now on connections reach the database. */
  readonly comeUp: () => Promise<void>;
}

/** Where the database will be. Until then connections are met so; without a way to meet them nobody listens. */
const startLateServer = async (meet?: Meet): Promise<LateServer> => {
  const target = new URL(database.url);
  let isUp = false;
  const server = net.createServer((client) => {
    client.on('error', () => {});
    if (!isUp) {
      meet?.(client);
      return;
    }
    const upstream = net.connect(Number(target.port), target.hostname);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as net.AddressInfo).port;
  };
  const port = await listen(0);
  if (!meet) await new Promise((resolve) => server.close(resolve));
  return {
    url: Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(port) }).href,
    comeUp: async () => {
      isUp = true;
      if (!server.listening) await listen(port);
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
};

describe('a database that comes up later is waited for', () => {
  test.for<[string, RegExp, Meet | undefined]>([
    ['where nobody listens', /ECONNREFUSED/, undefined],
    [
      'that is starting',
      /the database system is starting up/,
      refuseWith('57P03', 'the database system is starting up'),
    ],
    ['that is full', /too many clients already/, refuseWith('53300', 'sorry, too many clients already')],
    // What it had still to say decides whether the end is met as one or as a reset.
    ['that hangs up', /terminated|ECONNRESET/, (client) => client.destroy()],
    ['that says nothing', /timeout/, () => {}],
  ])('%s', async ([, reason, meet]) => {
    await using server = await startLateServer(meet);
    const serving = runCli(['serve'], { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: server.url });
    try {
      const [line] = await serving.printed(/waiting for the database at 127\.0\.0\.1:\d+: .*/);
      expect(line).toMatch(reason);
      expect(serving.output()).not.toContain('listening on');
      await server.comeUp();
      const [, url] = await serving.printed(/listening on (http:\/\/[^"\s]+)/);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    } finally {
      serving.child.kill('SIGKILL');
      await serving.ended;
    }
  });

  test('by a migration too', async () => {
    await using server = await startLateServer();
    const migrating = runCli(['migrate'], { DATABASE_URL: server.url });
    await migrating.printed(/waiting for the database/);
    await server.comeUp();
    expect(await migrating.ended, migrating.output()).toBe(0);
  });

  test('by a gateway again, where it has gone since the first question', async () => {
    const { promise: isMet, resolve } = Promise.withResolvers<void>();
    await using server = await startLateServer((client) => {
      client.destroy();
      resolve();
    });
    const opening = createTestGateway(server);
    await isMet;
    await server.comeUp();
    await using gateway = await opening;
    expect((await gateway.get('/readyz')).status).toBe(200);
  });

  test('no longer than it may, and a signal ends the wait', async () => {
    const environment = { DATABASE_URL: 'postgresql://postgres@no-such-host.invalid/shop', PORT: '0' };
    const waiting = runCli(['serve'], { ...environment, DATABASE_WAIT_MS: '600' });
    expect(await waiting.ended).toBe(1);
    expect(waiting.output()).toMatch(
      /The database cannot be reached after 0\.\d s \(DATABASE_WAIT_MS\): .*no-such-host/,
    );
    expect(waiting.output()).not.toMatch(/^\s+at /m);

    const ended = runCli(['serve'], environment);
    await ended.printed(/waiting for the database/);
    ended.child.kill('SIGTERM');
    expect(await ended.ended).toBe(0);
  });
});

test.for([
  ['28P01', 'password authentication failed for user "shop"'],
  ['28000', 'no pg_hba.conf entry for host "127.0.0.1"'],
  ['3D000', 'database "shop" does not exist'],
] as const)('what no waiting mends is told at once: %s', async ([code, message]) => {
  await using server = await startLateServer(refuseWith(code, message));
  const serving = runCli(['serve'], { PORT: '0', DATABASE_URL: server.url, DATABASE_WAIT_MS: '60000' });
  expect(await serving.ended).toBe(1);
  expect(serving.output()).toBe(`The database refuses: ${message}. Check DATABASE_URL.\n`);
});
