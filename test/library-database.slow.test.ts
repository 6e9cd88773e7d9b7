import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createGateway } from '../src/index.ts';
import { createTestDatabase } from './support/database.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

test('the library, without a database of its own, starts one, with the demo catalogue, and stops it when closed', async () => {
  await using folder = await temporaryFolder();
  const lines: string[] = [];
  const log = { write: (line: string) => void lines.push(line) };
  const gateway = await createGateway({ dataDir: folder.path, logLevel: 'info', log });
  expect(await (await gateway.fetch(new Request('https://shop.example/api/product/1'))).json()).toMatchObject({
    id: 1,
  });
  await gateway.close();
  expect(lines.some((line) => JSON.parse(line).msg === 'filled with the demo catalogue')).toBe(true);
  await expect(
    createGateway({ databaseUrl: gateway.databaseUrl, databaseWaitMs: 0, logLevel: 'silent' }),
  ).rejects.toThrow('ECONNREFUSED');
});

test('nothing of a gateway stays in memory once it is closed, though its metrics were read and a subscription was left open', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  await using database = await createTestDatabase();
  /** Each of its parts can write its log. */
  const openAndClose = async (): Promise<WeakRef<object>> => {
    const log = { write: () => {} };
    const gateway = await createGateway({ databaseUrl: database.url, log });
    const ask = (target: string, accept = '*/*') =>
      gateway.fetch(new Request(`https://shop.example${target}`, { headers: { accept } }));
    for (const target of ['/metrics', '/graphql?query={productSearch(search:"pan"){totalCount}}']) {
      expect((await (await ask(target)).text()).length).toBeGreaterThan(0);
    }
    const events = await ask('/graphql?query=subscription{notices{id}}', 'text/event-stream');
    expect([events.status, (await events.body?.getReader().read())?.done]).toEqual([200, false]);
    await gateway.close();
    return new WeakRef(log);
  };
  const closed = await openAndClose();
  const isLeft = (): boolean => {
    collectGarbage();
    return closed.deref() !== undefined;
  };
  await expect.poll(isLeft, { interval: 100 }).toBe(false);
});
