import { once } from 'node:events';
import net from 'node:net';
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-sse';
import { expect, test } from 'vitest';
import { findFreePort } from '../../../src/database/embedded/postmaster.ts';
import { createTestDatabase } from '../../support/database.ts';
import { readStream } from '../../support/events.ts';
import { type ServingProcess, startGatewayProcess } from '../../support/process.ts';
import { insertNotice } from '../../support/rows.ts';
import { parseMetrics } from '../../support/scrape.ts';
import { shared } from '../../support/shared.ts';

const NOTICES = 'subscription { notices { title } }';
const TARGET = `/graphql?${new URLSearchParams({ query: NOTICES })}`;

const database = await shared(createTestDatabase());
const id = await insertNotice(database, { title: 'First' });
const rename = (title: string) => database.sql('update notice set title = $1 where id = $2', [title, id]);

const start = async (environment: Record<string, string> = {}): Promise<ServingProcess> => {
  // An answer that is cached may be as old as the bound: what a test begins with is committed long ago.
  await rename('First');
  return startGatewayProcess({ DATABASE_URL: database.url, ...environment });
};

const open = async ({ url }: { readonly url: string }) =>
  readStream(await fetch(url + TARGET, { headers: { accept: 'text/event-stream' } }));

const titleIn = (result: { data?: unknown } | undefined): string =>
  (result?.data as { notices: { title: string }[] } | undefined)?.notices[0]?.title ?? '';

test('SIGTERM completes all streams, and the process ends at once', async () => {
  await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '60000' });
  const streams = [await open(gateway), await open(gateway)];
  for (const { results } of streams) await expect.poll(() => results.length).toBe(1);
  gateway.command.child.kill('SIGTERM');
  expect(await gateway.command.ended).toBe(0);
  for (const { isComplete, isOver } of streams) {
    await expect.poll(isOver).toBe(true);
    expect(isComplete()).toBe(true);
  }
});

test('until SHUTDOWN_DELAY_MS is over, streams go on and new ones begin', async () => {
  await using gateway = await start({ SHUTDOWN_TIMEOUT_MS: '60000', SHUTDOWN_DELAY_MS: '8000' });
  const stream = await open(gateway);
  gateway.command.child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503);
  const late = await open(gateway);
  await rename('During the delay');
  for (const { results } of [stream, late]) {
    await expect.poll(() => titleIn(results.at(-1))).toBe('During the delay');
  }
  expect(await gateway.command.ended).toBe(0);
  for (const { isComplete } of [stream, late]) await expect.poll(isComplete).toBe(true);
});

test('EventSource comes back by itself after SIGTERM, and is shown what changed meanwhile', async () => {
  const PORT = String(await findFreePort());
  const first = await start({ PORT });
  const shown: string[] = [];
  const source = new EventSource(first.url + TARGET);
  source.addEventListener('next', ({ data }) => shown.push(titleIn(JSON.parse(data))));
  await expect.poll(() => shown).toEqual(['First']);
  first.command.child.kill('SIGTERM');
  await first.command.ended;
  await rename('Meanwhile');
  await using _ = await startGatewayProcess({ DATABASE_URL: database.url, PORT });
  await expect.poll(() => shown, { timeout: 30_000 }).toEqual(['First', 'Meanwhile']);
  source.close();
});

test('the client of graphql-sse comes back by itself after kill -9', async () => {
  const PORT = String(await findFreePort());
  const first = await start({ PORT });
  const shown: string[] = [];
  const client = createClient({
    url: `${first.url}/graphql`,
    retryAttempts: 1000,
    retry: () => new Promise((next) => setTimeout(next, 100)),
  });
  void (async () => {
    for await (const result of client.iterate({ query: NOTICES })) shown.push(titleIn(result));
  })();
  await expect.poll(() => shown).toEqual(['First']);
  first.command.child.kill('SIGKILL');
  await first.command.ended;
  await rename('Meanwhile');
  await using _ = await startGatewayProcess({ DATABASE_URL: database.url, PORT });
  await expect.poll(() => shown, { timeout: 30_000 }).toEqual(['First', 'Meanwhile']);
  client.dispose();
});

test('a client that reads nothing is cut at the bound, and the others get every event', {
  timeout: 120_000,
}, async () => {
  // Not cut for being slow: only for what it leaves unread.
  await using gateway = await start({ SEND_TIMEOUT_MS: '600000' });
  const { port, hostname } = new URL(gateway.url);
  const slow = net.connect(Number(port), hostname);
  slow.on('error', () => {});
  const contents = 'subscription { notices { title content } }';
  slow.write(
    `GET /graphql?${new URLSearchParams({ query: contents })} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n`,
  );
  await once(slow, 'readable');
  const stream = readStream(
    await fetch(`${gateway.url}/graphql?${new URLSearchParams({ query: contents })}`, {
      headers: { accept: 'text/event-stream' },
    }),
  );
  await expect.poll(() => stream.results.length).toBe(1);
  const ended = async (reason: string): Promise<number> =>
    parseMetrics(await (await fetch(`${gateway.url}/metrics`)).text()).sum('vitrine_subscriptions_ended_total', {
      reason,
    });
  // More than the system buffers for a connection.
  let count = 1;
  for (; (await ended('slow')) === 0 && count < 100; count += 1) {
    await database.sql('update notice set title = $1, content = $2 where id = $3', [
      `Large ${count}`,
      'x'.repeat(500_000),
      id,
    ]);
    await expect.poll(() => titleIn(stream.results.at(-1))).toBe(`Large ${count}`);
  }
  expect(await ended('slow')).toBe(1);
  expect(stream.results).toHaveLength(count);
  slow.destroy();
  await stream.leave();
  await database.sql('update notice set content = $1 where id = $2', ['Content', id]);
});

test('listeners of all workers get a change', async () => {
  await using gateway = await start({ WORKERS: '2' });
  const streams = await Promise.all(Array.from({ length: 8 }, () => open(gateway)));
  for (const { results } of streams) await expect.poll(() => results.length).toBe(1);
  await rename('For all');
  for (const { results } of streams) await expect.poll(() => titleIn(results.at(-1))).toBe('For all');
  gateway.command.child.kill('SIGTERM');
  expect(await gateway.command.ended).toBe(0);
  for (const { isComplete } of streams) await expect.poll(isComplete).toBe(true);
});
