import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

const REPOSITORY = path.join(import.meta.dirname, '../..');

/** Not shown to a reader: what git, npm and the gateway keep there, and what a page may write itself. */
const HIDDEN = new Set(['data', 'documents', 'package.json']);

export interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly hasFailed: boolean;
}

/** Somebody who types a page's commands into one terminal. */
export interface Reader extends AsyncDisposable {
  /** A folder that looks like the repository and can be written to. */
  readonly folder: string;
  /** Runs commands in a shell that keeps its variables. */
  readonly run: (commands: string) => Promise<Result>;
}

export interface ReaderOptions {
  /** Where `http://localhost:4000` leads, until the page starts a gateway itself. */
  readonly port: string;
  readonly demoDatabaseUrl: string;
  /** What stands for a database of the operator's. */
  readonly ownDatabaseUrl: string;
}

export const createReader = async ({ port, demoDatabaseUrl, ownDatabaseUrl }: ReaderOptions): Promise<Reader> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-docs-'));
  const home = await mkdtemp(path.join(tmpdir(), 'vitrine-docs-home-'));
  const entries = (await readdir(REPOSITORY)).filter((name) => !name.startsWith('.') && !HIDDEN.has(name));
  await Promise.all(entries.map((name) => symlink(path.join(REPOSITORY, name), path.join(folder, name))));
  await writeFile(path.join(home, '.curlrc'), `silent\nconnect-to = "localhost:4000:127.0.0.1:${port}"\n`);
  const bin = path.join(import.meta.dirname, 'bin');
  const shell = spawn('bash', [], {
    cwd: folder,
    env: {
      PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(':'),
      HOME: home,
      CURL_HOME: home,
      // What Node has compiled before.
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
      NODE: process.execPath,
      REPOSITORY,
      DEMO_DATABASE_URL: demoDatabaseUrl,
      OWN_DATABASE_URL: ownDatabaseUrl,
    },
  });
  const nextLine = createLineReader(shell);

  return {
    folder,
    run: async (commands) => {
      const [out, err] = [path.join(home, 'out'), path.join(home, 'err')];
      shell.stdin?.write(
        `failed=; trap failed=1 ERR; {\n${commands}\n} </dev/null >${out} 2>${err}; trap - ERR; echo "$failed"\n`,
      );
      const failed = await nextLine();
      const [stdout, stderr] = await Promise.all([out, err].map((file) => readFile(file, 'utf8')));
      return { stdout: stdout ?? '', stderr: stderr ?? '', hasFailed: failed !== '' };
    },
    [Symbol.asyncDispose]: async () => {
      shell.stdin?.end();
      for (const name of (await readdir(home)).filter((each) => each.endsWith('.pid'))) {
        const pid = Number(await readFile(path.join(home, name), 'utf8'));
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It could not start, and its page says why.
        }
      }
      await Promise.all([folder, home].map((each) => rm(each, { recursive: true })));
    },
  };
};

/** Lines of the shell's own output, in turn. */
const createLineReader = (shell: ChildProcess): (() => Promise<string>) => {
  if (!shell.stdout || !shell.stderr) throw new Error('the shell has no output');
  let complaints = '';
  shell.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk;
  });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the shell ended: ${complaints}`);
    return value;
  };
};
