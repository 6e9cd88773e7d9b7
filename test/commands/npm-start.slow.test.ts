import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { createTestDatabase } from '../support/database.ts';
import { type ServingProcess, signalGroup, startByNpm } from '../support/process.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The real program, started as the README says and stopped by the process that was started.

const database = await shared(createTestDatabase());

test.each(['1', '2'])('SIGTERM to the process of npm stops gateway and database, with WORKERS=%s', async (workers) => {
  await using folder = await temporaryFolder();
  const environment = { DATA_DIR: folder.path, WORKERS: workers, PORT: String(await findFreePort()) };
  // The second finds both the port and the data free.
  for (const _ of ['first', 'second']) {
    await using gateway = await startByNpm(environment);
    expect((await fetch(`${gateway.url}/api/product/1`)).status).toBe(200);
    gateway.command.child.kill('SIGTERM');
    expect(await gateway.command.ended).toBe(0);
    expect(gateway.command.output()).toContain('shutting down');
    expect(existsSync(path.join(folder.path, 'postgres/postmaster.pid'))).toBe(false);
  }
});

test('SIGTERM to the process of npx stops the gateway, too', async () => {
  const commandLine = ['npx', '--call', 'node bin/vitrine.js serve'] as const;
  await using gateway = await startByNpm({ DATABASE_URL: database.url }, commandLine);
  gateway.command.child.kill('SIGTERM');
  await gateway.command.ended;
  expect(gateway.command.output()).toContain('shutting down');
});

describe('while a request is under way', () => {
  const start = (timeoutMs: string): Promise<ServingProcess> =>
    startByNpm({ DATABASE_URL: database.url, SHUTDOWN_TIMEOUT_MS: timeoutMs });

  /** A request that never comes whole, so that the shutdown takes as long as it may. */
  const openSlowRequest = async ({ url }: ServingProcess): Promise<void> => {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{');
  };

  test('Ctrl-C, which npm passes on once more, does not cut it off', async () => {
    await using gateway = await start('1500');
    await openSlowRequest(gateway);
    signalGroup(gateway.command.child, 'SIGINT');
    expect(await gateway.command.ended).toBe(0);
  });

  test('who insists ends the gateway at once', async () => {
    await using gateway = await start('60000');
    await openSlowRequest(gateway);
    let ended: unknown;
    void gateway.command.ended.then((code) => {
      ended = code;
    });
    const insist = (): unknown => {
      gateway.command.child.kill('SIGTERM');
      return ended;
    };
    // Seldom: a signal that finds npm between the end of its child and its own ends npm.
    await expect.poll(insist, { interval: 1000 }).toBe(1);
  });
});
