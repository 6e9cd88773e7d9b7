import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { App } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { GatewayResponse } from '../src/http/message.ts';
import { startHttpServer } from '../src/http/node-server.ts';

// Faults of ours that no request is known to bring about: an app that has them, behind the real server.

const fine = (): GatewayResponse => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'fine' });

test.for<[string, (body?: Buffer) => GatewayResponse | Promise<GatewayResponse>]>([
  [
    'an exception at once',
    () => {
      throw new Error('a secret');
    },
  ],
  ['an exception later', () => Promise.reject(new Error('a secret'))],
  ['a header that cannot be sent', () => ({ ...fine(), headers: { 'x-broken': 'a\r\nb' } })],
  ['a header that cannot be sent, later', async () => ({ ...fine(), headers: { 'x-broken': 'a\r\nb' } })],
])('%s is a 500 that says nothing of its cause, and the end of that request alone', async ([, fault]) => {
  const logged: string[] = [];
  const isFaulty = (target: string): boolean => target !== '/fine';
  const app: App = {
    answer: async ({ target }) => (isFaulty(target) ? fault() : fine()),
    recall: ({ target, method }, body) =>
      target === '/recalled' || (method === 'POST' && body) ? (fault(body) as GatewayResponse) : undefined,
    shed: () => undefined,
    refuse: fine,
  };
  const config = readConfig({ PORT: '0', HOST: '127.0.0.1' });
  const server = await startHttpServer({
    app,
    config,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
  });
  try {
    for (const init of [
      { path: '/answered' },
      { path: '/recalled' },
      { path: '/graphql', method: 'POST', body: 'x' },
    ]) {
      const response = await fetch(server.url + init.path, { ...init, signal: AbortSignal.timeout(5000) });
      expect(response.status).toBe(500);
      const text = await response.text();
      expect(text).toContain('"INTERNAL_SERVER_ERROR"');
      expect(text).not.toMatch(/secret|broken/);
      expect(await (await fetch(`${server.url}/fine`)).text()).toBe('fine');
    }
    expect(logged).toHaveLength(3);
  } finally {
    await server.drain(0);
  }
});
