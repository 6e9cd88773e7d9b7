import { chmod } from 'node:fs/promises';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { findProgram } from './programs.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PROGRAM = findProgram('apache2');

export const hasApache = PROGRAM !== undefined;

const MODULES = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'cache', 'cache_disk', 'filter', 'deflate'];

/** Debian's Apache in front of one gateway, keeping answers on its disk. @param address `127.0.0.1:4001` @param lines of a configuration besides */
export const startApache = async (address: string, lines: readonly string[] = []): Promise<ProxyProcess> => {
  const folder = await temporaryFolder();
  // Apache changes to another user when root starts it.
  await chmod(folder.path, 0o777);
  const listen = `127.0.0.1:${await findFreePort()}`;
  const file = await folder.write(
    'apache.conf',
    `${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerName shop.example
ServerRoot ${folder.path}
DefaultRuntimeDir ${folder.path}
PidFile ${folder.path}/pid
ErrorLog ${folder.path}/log
User www-data
Group www-data
Listen ${listen}
CacheRoot ${folder.path}
CacheEnable disk /
ProxyPass / http://${address}/ retry=0
${lines.join('\n')}
`,
  );
  return startProxyProcess({
    program: String(PROGRAM),
    args: ['-DFOREGROUND', '-f', file],
    url: `http://${listen}`,
    readyPath: '/api/notice/list',
    signal: 'SIGTERM',
    folder,
  });
};
