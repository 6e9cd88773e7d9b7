import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { findProgram } from './programs.ts';

/** Debian's PgBouncer before a database, configured as the example is but for place, access and size. */
export interface PgBouncer extends AsyncDisposable {
  /** The database's URL by way of it. */
  readonly url: string;
  /** Ends it at once, connections and all. */
  readonly kill: () => Promise<void>;
  /** At the same address as before, in another mode where one is given. */
  readonly start: (mode?: PoolMode) => Promise<void>;
}

export type PoolMode = 'session' | 'transaction';

interface Options {
  readonly mode: PoolMode;
  /** Connections to the server. */
  readonly poolSize?: number;
  /** Further lines of pgbouncer.ini. */
  readonly settings?: string;
}

const EXAMPLE = path.join(import.meta.dirname, '../../deploy/pgbouncer/pgbouncer.ini');

const PROGRAM = findProgram('pgbouncer');

export const hasPgBouncer = PROGRAM !== undefined;

export const startPgBouncer = async (
  { url }: { readonly url: string },
  { mode, poolSize = 5, settings = '' }: Options,
): Promise<PgBouncer> => {
  const server = new URL(url);
  const port = await findFreePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  const example = await readFile(EXAMPLE, 'utf8');
  // Where it can keep statements by name, it does so by default since 1.24.
  const { stdout } = await promisify(execFile)(String(PROGRAM), ['--version']);
  const [, minor] = /^PgBouncer 1\.(\d+)/.exec(stdout) ?? [];
  const forgetStatements = Number(minor) >= 21 ? 'max_prepared_statements = 0' : '';
  // What stands further down counts. (A section that came again would begin with the defaults.)
  const database = `* = host=${server.hostname} port=${server.port} user=${server.username} password=${decodeURIComponent(server.password)}`;
  const configure = (poolMode: PoolMode): Promise<void> =>
    writeFile(
      file,
      `${example.replace('[databases]\n', `[databases]\n${database}\n`)}
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file =
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
${forgetStatements}
${settings}
`,
    );
  // It refuses to run as root.
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];

  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const start = async (poolMode = mode): Promise<void> => {
    await configure(poolMode);
    const started = spawn(String(PROGRAM), ['-q', ...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let said = '';
    started.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    while (!(await canConnect(port))) {
      if (started.exitCode !== null) throw new Error(`pgbouncer ended with ${started.exitCode}: ${said}`);
    }
  };
  await start();
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    kill,
    start,
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
};

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => setTimeout(resolve, 5, false));
  });
