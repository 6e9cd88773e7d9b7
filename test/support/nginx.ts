import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './haproxy.ts';
import { findProgram } from './programs.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';

const FILE = path.join(import.meta.dirname, '../../deploy/nginx/nginx.conf');
const PROGRAM = findProgram('nginx');

export const hasNginx = PROGRAM !== undefined;

/** nginx with the file of deploy/, in front of two gateways, with its own files in a folder of whoever tests. */
export const startNginx = async (addresses: readonly [string, string]): Promise<ProxyProcess> => {
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
  const proxy = await startProxyProcess({
    program: String(PROGRAM),
    args: ['-c', file, '-g', 'daemon off;'],
    url: `http://127.0.0.1:${port}`,
    readyPath: '/api/notice/list',
    // Quick, and its workers end with it.
    signal: 'SIGTERM',
  });
  return {
    url: proxy.url,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};
