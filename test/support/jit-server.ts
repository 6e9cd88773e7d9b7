import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';

// Where Debian has its servers. The embedded one cannot compile statements.
const [LIBRARY] = globSync('/usr/lib/postgresql/*/lib/llvmjit.so');
const BIN = LIBRARY && path.join(LIBRARY, '../../bin');

/** Whether Debian's PostgreSQL is installed, with what compiles statements. */
export const hasJitServer = BIN !== undefined && existsSync(path.join(BIN, 'postgres'));
if (!hasJitServer) {
  const message = 'postgresql is not installed: the tests that need a server with JIT are skipped.';
  if (process.env.CI) throw new Error(message);
  console.warn(message);
}

/** A server that compiles the statements of sessions that let it, and logs each. */
export interface JitServer extends AsyncDisposable {
  /** Of a migrated database. */
  readonly url: string;
  readonly sql: (text: string) => Promise<pg.QueryResultRow[]>;
  /** The statements that were compiled since it was last asked, with the name of the program that sent them. */
  readonly compiled: () => Promise<string[]>;
}

/** PostgreSQL refuses to run as root. */
const account = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const id = (of: string): number => Number(execFileSync('id', [of, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};

const SETTINGS = {
  // All but those that read no table, or one row of it.
  jit_above_cost: '3',
  shared_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_nested_statements': 'on',
  log_line_prefix: '#%a#',
  fsync: 'off',
};

export const startJitServer = async (): Promise<JitServer> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-jit-'));
  const user = account();
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid ?? 0);
  const data = path.join(folder, 'data');
  const run = promisify(execFile);
  await run(path.join(String(BIN), 'initdb'), ['-D', data, '-U', 'shop', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...user,
    cwd: folder,
  });
  const port = await findFreePort();
  const options = { ...SETTINGS, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: folder };
  const server = spawn(
    path.join(String(BIN), 'postgres'),
    ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  server.stderr.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  while (!log.includes('ready to accept connections')) await once(server.stderr, 'data');
  const url = `postgresql://shop:any@127.0.0.1:${port}/postgres`;
  await applyMigrations({ url, log: () => {} });
  const pool = new pg.Pool({ connectionString: url, max: 1, application_name: 'back office' });
  pool.on('error', () => {});
  const sql = async (text: string) => (await pool.query(text)).rows;
  return {
    url,
    sql,
    compiled: async () => {
      // What was logged before this one is here once this one is.
      const mark = `mark ${Math.random()}`;
      await sql(`do $$ begin raise log '${mark}'; end $$`);
      while (!log.includes(mark)) await once(server.stderr, 'data');
      const entries = log.slice(0, log.indexOf(mark)).split('\n#');
      log = '';
      return entries.filter((entry) => /^\s+JIT:$/m.test(entry));
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
};
