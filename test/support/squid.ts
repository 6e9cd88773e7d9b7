import { chmod } from 'node:fs/promises';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { findProgram } from './programs.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PROGRAM = findProgram('squid');

export const hasSquid = PROGRAM !== undefined;

/** Squid in front of one gateway, with the `refresh_pattern` that its own file has. @param address `127.0.0.1:4001` */
export const startSquid = async (address: string): Promise<ProxyProcess> => {
  const { hostname, port } = new URL(`http://${address}`);
  const folder = await temporaryFolder();
  // Squid changes to a user of its own when root starts it.
  await chmod(folder.path, 0o777);
  const listen = `127.0.0.1:${await findFreePort()}`;
  const file = await folder.write(
    'squid.conf',
    `http_port ${listen} accel no-vhost defaultsite=shop.example
cache_peer ${hostname} parent ${port} 0 no-query originserver no-digest
http_access allow all
refresh_pattern -i (/cgi-bin/|\\?) 0 0% 0
refresh_pattern . 0 20% 4320
cache_mem 16 MB
access_log none
cache_log ${folder.path}/log
coredump_dir ${folder.path}
pid_filename ${folder.path}/pid
icp_port 0
pinger_enable off
shutdown_lifetime 0 seconds
`,
  );
  return startProxyProcess({
    program: String(PROGRAM),
    args: ['-N', '-f', file],
    url: `http://${listen}`,
    readyPath: '/api/notice/list',
    signal: 'SIGTERM',
    folder,
  });
};
