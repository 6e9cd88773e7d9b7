import { expect, test } from 'vitest';
import { createGateway } from '../src/index.ts';
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
