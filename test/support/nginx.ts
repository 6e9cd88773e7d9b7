import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { getByNewConnection } from './asking.ts';
import { freePort } from './haproxy.ts';
import { findProgram } from './programs.ts';

const FILE = path.join(import.meta.dirname, '../../deploy/nginx/nginx.conf');
const PROGRAM = findProgram('nginx');

export const hasNginx = PROGRAM !== undefined;

export interface Nginx extends AsyncDisposable {
  readonly url: string;
}

/** nginx with the file of deploy/, in front of two gateways, with its own files in a folder of whoever tests. */
export const startNginx = async (addresses: readonly [string, string]): Promise<Nginx> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const text = (await readFile(FILE, 'utf8'))
    .replace(/^user .*$/m, '')
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replaceAll(/\/(run|var\/log\/nginx)\//g, `${folder}/`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:4001', addresses[0])
    .replace('127.0.0.1:4002', addresses[1]);
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, text);
  const child = spawn(String(PROGRAM), ['-c', file, '-g', 'daemon off;'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  // Quick, and its workers end with it.
  const end = (): boolean => child.kill('SIGTERM');
  process.once('exit', end);
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(
    async () => {
      const { status } = await getByNewConnection(`${url}/api/notice/list`);
      if (status !== 200) throw new Error(`nginx answers ${status}: ${output}`);
    },
    { interval: 50, timeout: 20_000 },
  );
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', end);
      const closed = once(child, 'close');
      end();
      await closed;
      await rm(folder, { recursive: true });
    },
  };
};
