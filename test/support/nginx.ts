import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { findProgram } from './programs.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

const FILE = path.join(import.meta.dirname, '../../deploy/nginx/nginx.conf.template');
const [PROGRAM, ENVSUBST] = [findProgram('nginx'), findProgram('envsubst')];

export const hasNginx = PROGRAM !== undefined && ENVSUBST !== undefined;

export interface NginxVariables {
  readonly LISTEN: string;
  readonly GATEWAY_1: string;
  readonly GATEWAY_2: string;
  readonly CACHE: 'off' | 'answers';
}

/**
 * The file of deploy/ with its variables, as deploy/README.md writes it, and with the files of nginx itself in a folder of whoever tests, who may
 * not write where a server of root's does.
 */
export const nginxConfiguration = (variables: NginxVariables, folder: string): string => {
  const names = Object.keys(variables).map((name) => `$${name}`);
  const text = execFileSync(String(ENVSUBST), [names.join(' ')], {
    input: readFileSync(FILE),
    env: { ...variables },
    encoding: 'utf8',
  });
  return inFolder(text, folder);
};

/** The text of a configuration, with the files of nginx itself in a folder. */
const inFolder = (text: string, folder: string): string => {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return text
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replaceAll(/\/(run|var\/log\/nginx)\//g, `${folder}/`)
    .replace('/var/cache/nginx', `${folder}/cache`);
};

/** nginx with the file of deploy/, in front of two gateways. @param CACHE whether answers are kept */
export const startNginx = async (
  addresses: readonly [string, string],
  { CACHE = 'off' }: Partial<NginxVariables> = {},
): Promise<ProxyProcess> => {
  const folder = await temporaryFolder();
  const port = await findFreePort();
  const variables = { LISTEN: `127.0.0.1:${port}`, GATEWAY_1: addresses[0], GATEWAY_2: addresses[1], CACHE };
  const text = nginxConfiguration(variables, folder.path).replace(/^user .*$/m, 'user root;');
  return start(text, folder, port, '/api/notice/list');
};

/** nginx that gives a gateway all that is asked for below a prefix, without the prefix, and has nothing else. */
export const startStrippingNginx = async (gateway: { readonly url: string }, prefix: string): Promise<ProxyProcess> => {
  const folder = await temporaryFolder();
  const port = await findFreePort();
  const text = `pid /run/nginx.pid; error_log stderr; events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    location ${prefix}/ { proxy_pass ${gateway.url}/; proxy_set_header Host $http_host; }
    location / { return 404; }
  }
}`;
  return start(inFolder(text, folder.path), folder, port, `${prefix}/livez`);
};

const start = async (text: string, folder: TemporaryFolder, port: number, readyPath: string): Promise<ProxyProcess> =>
  startProxyProcess({
    program: String(PROGRAM),
    args: ['-c', await folder.write('nginx.conf', text), '-g', 'daemon off;'],
    url: `http://127.0.0.1:${port}`,
    readyPath,
    // Quick, and its workers end with it.
    signal: 'SIGTERM',
    folder,
  });
