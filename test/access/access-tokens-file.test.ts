import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { cachedResponse, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const [TOKEN, OTHER] = ['first-token-0123456789', 'second.token~+/0123=='];
const digestOf = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`;

const database = await shared(createTestDatabase());
let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'vitrine-tokens-'));
  file = path.join(folder, 'tokens');
  return () => rm(folder, { recursive: true });
});

const statusOf = async (gateway: TestGateway, token: string): Promise<number> =>
  (await gateway.get('/api/notice/list', { authorization: `Bearer ${token}` })).status;

const open = (): Promise<TestGateway> => createTestGateway(database, { ACCESS_TOKENS_FILE: file });

test('digests stand for their tokens, in the environment and in a file, and open nothing themselves', async () => {
  await writeFile(file, `${digestOf(OTHER).toUpperCase().replace('SHA256', 'sha256')}\n`);
  await using gateway = await createTestGateway(database, { ACCESS_TOKENS: digestOf(TOKEN), ACCESS_TOKENS_FILE: file });
  for (const token of [TOKEN, OTHER]) {
    expect(await statusOf(gateway, token)).toBe(200);
    for (const wrong of [digestOf(token), digestOf(token).slice(7)]) expect(await statusOf(gateway, wrong)).toBe(401);
  }
});

describe('a file of tokens', () => {
  test('has one a line, among blank lines and comments', async () => {
    await writeFile(
      file,
      `\uFEFF# storefront\r\n${TOKEN}\r\n\r\n  ${digestOf(OTHER)}  # legacy\n`.replace('  # legacy', ''),
    );
    await using gateway = await open();
    expect(await Promise.all([TOKEN, OTHER, 'storefront'].map((token) => statusOf(gateway, token)))).toEqual([
      200, 200, 401,
    ]);
  });

  test('is read again when it changes: what is gone opens nothing, known answers included', async () => {
    await writeFile(file, TOKEN);
    await using gateway = await open();
    expect(await statusOf(gateway, TOKEN)).toBe(200);
    const request = { method: 'GET', target: '/api/notice/list', headers: { authorization: `Bearer ${TOKEN}` } };
    await expect.poll(() => cachedResponse(gateway, request)).toBeDefined();

    await writeFile(file, OTHER);
    await expect.poll(() => statusOf(gateway, OTHER)).toBe(200);
    expect(cachedResponse(gateway, request)).toBeUndefined();
    expect(await statusOf(gateway, TOKEN)).toBe(401);
    expect(JSON.stringify(gateway.logged)).not.toMatch(new RegExp(`${TOKEN}|second\\.token`));
  });

  test('is followed through links, as secrets are mounted, and closes everything when it is emptied', async () => {
    await writeFile(path.join(folder, 'v1'), TOKEN);
    await writeFile(path.join(folder, 'v2'), '# none\n');
    await symlink('v1', file);
    await using gateway = await open();
    expect(await statusOf(gateway, TOKEN)).toBe(200);
    await symlink('v2', `${file}.new`);
    await rename(`${file}.new`, file);
    await expect.poll(() => statusOf(gateway, TOKEN)).toBe(401);
  });

  test('that goes wrong leaves the tokens that were good, and says so without them', async () => {
    await writeFile(file, TOKEN);
    await using gateway = await open();
    await writeFile(file, `${OTHER}\nnot a token of ours\n`);
    await expect.poll(() => JSON.stringify(gateway.logged)).toContain(`${file}:2`);
    await rm(file);
    await expect.poll(() => JSON.stringify(gateway.logged)).toContain('ENOENT');
    expect(await statusOf(gateway, TOKEN)).toBe(200);
    expect(await statusOf(gateway, OTHER)).toBe(401);
    expect(JSON.stringify(gateway.logged)).not.toMatch(/not a token of ours|second\.token/);
  });

  test.for([
    ['that is not there', undefined, 'cannot be read'],
    ['without a token', '# soon\n\n', 'holds no token'],
    ['with a short one', `${TOKEN}\nshort\n`, 'tokens:2'],
    ['with half a digest', 'sha256:0123456789abcdef', 'tokens:1'],
  ] as const)('%s stops the start', async ([, content, message]) => {
    if (content !== undefined) await writeFile(file, content);
    await expect(open()).rejects.toThrow(message);
    await expect(open()).rejects.not.toThrow(/short$|0123456789abcdef/);
  });
});
