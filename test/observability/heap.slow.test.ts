import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());

test.for([
  ['fits the cache', {}, ['--max-old-space-size=320', '--max-semi-space-size=8']],
  ['fits a cache of another size', { CACHE_MAX_MB: '500' }, ['--max-old-space-size=1192', '--max-semi-space-size=8']],
  [
    'has room for what is new where little is kept',
    { CACHE_MAX_MB: '8' },
    ['--max-old-space-size=208', '--max-semi-space-size=16'],
  ],
  [
    'has more of it where nothing is kept',
    { CACHE_MAX_MB: '0' },
    ['--max-old-space-size=192', '--max-semi-space-size=32'],
  ],
  ['is what the operator says', { NODE_OPTIONS: '--max-old-space-size=700' }, []],
] as const)('the heap of a gateway %s', async ([, environment, options]) => {
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, ...environment });
  const commandLine = await readFile(`/proc/${gateway.command.child.pid}/cmdline`, 'utf8');
  const [, ...args] = commandLine.split('\0').filter(Boolean);
  expect(args).toEqual([...options, expect.stringMatching(/cli\.ts$/), 'serve']);
});

test.skipIf(process.platform !== 'linux').for([
  ['one arena of malloc', {}, 'MALLOC_ARENA_MAX=1'],
  ['as many arenas as the operator says', { MALLOC_ARENA_MAX: '3' }, 'MALLOC_ARENA_MAX=3'],
  ['the compile cache for its threads too', {}, `NODE_COMPILE_CACHE=${process.env.XDG_CACHE_HOME}/vitrine`],
] as const)('a gateway has %s', async ([, environment, expected]) => {
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, ...environment });
  const variables = await readFile(`/proc/${gateway.command.child.pid}/environ`, 'utf8');
  const [name = ''] = expected.split('=');
  expect(variables.split('\0').filter((each) => each.startsWith(name))).toEqual([expected]);
});

test('a cache whose size is no number is refused by name', async () => {
  await expect(startGatewayProcess({ DATABASE_URL: database.url, CACHE_MAX_MB: 'much' })).rejects.toThrow(
    'CACHE_MAX_MB',
  );
});
