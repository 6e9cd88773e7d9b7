import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { findProgram } from './programs.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PAGE = path.join(import.meta.dirname, '../../docs/scaling.md');
const PROGRAM = findProgram('varnishd');

export const hasVarnish = PROGRAM !== undefined;

/** The lines of docs/scaling.md. */
const readDocumented = async (): Promise<string> => {
  const [, vcl] = /^```vcl\n(.*?)^```/ms.exec(await readFile(PAGE, 'utf8')) ?? [];
  if (!vcl) throw new Error('docs/scaling.md has no VCL');
  return vcl;
};

/** Varnish in front of one gateway. @param address `127.0.0.1:4001` @param configuration a file. @default what docs/scaling.md says */
export const startVarnish = async (address: string, configuration?: string): Promise<ProxyProcess> => {
  const vcl = configuration === undefined ? await readDocumented() : await readFile(configuration, 'utf8');
  const { hostname, port } = new URL(`http://${address}`);
  const folder = await temporaryFolder();
  const file = await folder.write('gateway.vcl', vcl.replace('127.0.0.1', hostname).replace('"4000"', `"${port}"`));
  const listen = `127.0.0.1:${await findFreePort()}`;
  // In the foreground, with its files in a folder of whoever tests, who may not change to another user.
  const args = ['-F', '-j', 'none', '-n', folder.path, '-s', 'malloc,16m', '-a', listen, '-f', file];
  return startProxyProcess({
    program: String(PROGRAM),
    args,
    url: `http://${listen}`,
    readyPath: '/api/notice/list',
    signal: 'SIGTERM',
    folder,
  });
};
