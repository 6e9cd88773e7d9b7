import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createTestDatabase } from '../support/database.ts';
import { childrenOf, startByNpm, startGatewayProcess } from '../support/process.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());

const ROOT = path.join(import.meta.dirname, '../..');
const FLAGS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

const commandLineOf = async (pid: number | undefined): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter(Boolean);

test('the flags of V8 are those of the script, also in each worker', async () => {
  await using gateway = await startByNpm({ DATABASE_URL: database.url, WORKERS: '2' });
  const [primary] = await childrenOf(gateway.command.child.pid);
  expect(FLAGS).not.toEqual([]);
  expect(await commandLineOf(primary)).toEqual(['node', ...FLAGS, 'bin/vitrine.js', 'serve']);
  const workers = await childrenOf(primary);
  expect(workers).toHaveLength(2);
  for (const worker of workers) {
    const [, ...args] = await commandLineOf(worker);
    expect(args).toEqual([...FLAGS, path.join(ROOT, 'bin/vitrine.js'), 'serve']);
  }
});

test('the image and the systemd unit have the same flags', async () => {
  const read = (name: string): Promise<string> => readFile(path.join(ROOT, 'deploy', name), 'utf8');
  expect(await read('Dockerfile')).toContain(
    `ENTRYPOINT ${JSON.stringify(['node', ...FLAGS, 'src/cli.ts']).replaceAll(',', ', ')}`,
  );
  expect(await read('systemd/vitrine@.service')).toContain(
    `ExecStart=/usr/bin/node ${FLAGS.join(' ')} src/cli.ts serve`,
  );
});

test('a gateway stays the process that was started, with the flags that it was given', async () => {
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, CACHE_MAX_MB: '500' });
  const [, ...args] = await commandLineOf(gateway.command.child.pid);
  expect(args).toEqual([expect.stringMatching(/cli\.ts$/), 'serve']);
});

test('a worker has the compile cache of its primary', async () => {
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, WORKERS: '2' });
  const [worker] = await childrenOf(gateway.command.child.pid);
  const variables = (await readFile(`/proc/${worker}/environ`, 'utf8')).split('\0');
  expect(variables).toContain(`NODE_COMPILE_CACHE=${process.env.XDG_CACHE_HOME}/vitrine`);
});

test('a cache whose size is no number is refused by name', async () => {
  await expect(startGatewayProcess({ DATABASE_URL: database.url, CACHE_MAX_MB: 'much' })).rejects.toThrow(
    'CACHE_MAX_MB',
  );
});
