import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findPrograms } from '../../src/database/embedded/cluster.ts';
import { lockDirectory, replaceFile } from '../../src/database/embedded/data-directory.ts';
import { clearLeftover } from '../../src/database/embedded/postmaster.ts';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { OperatorError } from '../../src/errors.ts';

// Root starts Vitrine in a data directory of another user, who has put something there that leads elsewhere.

const OTHER = 65_534;
const SECRET = 'first line\nsecret line\n';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Not root: what root does in a data directory of another user is NOT tested here.');

describe.runIf(isRoot)('in a data directory of another user, root', () => {
  let folder: string;
  let dataDir: string;
  /** A file that only root may read. */
  let secret: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vitrine-owner-'));
    await chmod(folder, 0o755);
    secret = path.join(folder, 'secret');
    await writeFile(secret, SECRET, { mode: 0o600 });
    dataDir = path.join(folder, 'data');
    await mkdir(dataDir);
    await chown(dataDir, OTHER, OTHER);
    return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const expectUntouched = async (): Promise<void> => {
    expect(await lstat(secret)).toMatchObject({ uid: 0, gid: 0, mode: 0o100600 });
    expect(await readFile(secret, 'utf8')).toBe(SECRET);
  };

  const start = () => startEmbeddedDatabase({ dataDir, log: () => {} });

  test.for<[string, (file: string) => Promise<unknown>]>([
    ['a symbolic link', (file) => symlink(secret, file)],
    ['a symbolic link to an empty file', (file) => writeFile(secret, '').then(() => symlink(secret, file))],
    ['a symbolic link to nothing', (file) => symlink(path.join(folder, 'nothing'), file)],
    ['a second name of another file', (file) => link(secret, file)],
    ['a directory', (file) => mkdir(file)],
    ['a file with something in it', (file) => writeFile(file, 'SQLite format 3')],
  ])('does not lock %s, and says so in one sentence', async ([, put]) => {
    const file = path.join(dataDir, 'gateway.lock');
    await put(file);
    const before = await readFile(secret, 'utf8');
    const error = await start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperatorError);
    expect((error as Error).message).toMatch(
      /^\S+gateway\.lock is .*\. Remove it, or give Vitrine another DATA_DIR\.$/,
    );
    expect(await lstat(secret)).toMatchObject({ uid: 0, gid: 0, mode: 0o100600 });
    expect(await readFile(secret, 'utf8')).toBe(before);
    expect(await readdir(folder)).not.toContain('nothing');
    expect(await readdir(dataDir)).toEqual(['gateway.lock']);
  });

  test('gives the files that it makes to that user, and one that is there, once it is locked', async () => {
    await writeFile(path.join(dataDir, 'gateway.lock'), '');
    const { release } = await lockDirectory(dataDir);
    expect(await lstat(path.join(dataDir, 'gateway.lock'))).toMatchObject({ uid: OTHER, gid: OTHER });
    await release();
  });

  test('copies nothing into a file of that user from one that a link leads to', async () => {
    for (const put of [symlink, link]) {
      const pidFile = path.join(dataDir, 'postmaster.pid');
      await put(secret, pidFile);
      await expect(
        clearLeftover({ directory: dataDir, account: { prefix: [] }, programs: findPrograms(), log: () => {} }),
      ).rejects.toThrow(OperatorError);
      expect(await readdir(dataDir)).toEqual(['postmaster.pid']);
      await expectUntouched();
      await rm(pidFile);
    }
  });

  test('takes no address of a database from a file that a link leads to', async () => {
    await writeFile(secret, 'postgresql://vitrine:of-somebody-else@127.0.0.1:1/vitrine\n');
    const database = await start();
    await database.stop();
    const urlFile = path.join(dataDir, 'database-url');
    await rm(urlFile);
    await symlink(secret, urlFile);
    await expect(start()).rejects.toThrow(`${urlFile} is a link`);
  });

  test('serves no database of a third user that a link leads to', async () => {
    const cluster = path.join(dataDir, 'postgres');
    await symlink(folder, cluster);
    await lchown(cluster, OTHER, OTHER);
    await expect(start()).rejects.toThrow(`${cluster} is a link that root has not made`);
  });

  test('gives away no other file, however fast that user puts links in the place of what is written', async () => {
    const file = path.join(dataDir, 'database-url');
    const attack = `
      const fs = require('node:fs');
      console.log('begun');
      for (let round = 0; ; round += 1) {
        const link = ${JSON.stringify(path.join(dataDir, 'link'))};
        try {
          if (fs.lstatSync(${JSON.stringify(`${file}.new`)}).isSymbolicLink()) continue;
          fs.symlinkSync(${JSON.stringify(secret)}, link);
          fs.renameSync(link, ${JSON.stringify(`${file}.new`)});
        } catch {}
      }`;
    const attacker = spawn(process.execPath, ['--eval', attack], { uid: OTHER, gid: OTHER, cwd: '/' });
    const ended = once(attacker, 'exit');
    try {
      await once(attacker.stdout, 'data');
      for (let round = 0; round < 1000; round += 1) await replaceFile(file, 'content', 0o644).catch(() => {});
    } finally {
      attacker.kill('SIGKILL');
      await ended;
    }
    await expectUntouched();
  });
});
