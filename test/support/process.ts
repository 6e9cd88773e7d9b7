import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const CLI = path.join(ROOT, 'src/cli.ts');

export interface Command {
  readonly child: ChildProcess;
  /** Everything that it has printed so far, on both streams. */
  readonly output: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Ends it as quickly as it can be. */
  readonly end: () => void;
  /** Resolves once it has printed a match. @throws Error with its output when it ends without */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/**
 * Runs a command of the real program: `runCli(['migrate'], { DATABASE_URL })`. Of this process's environment only PATH and the folder of compiled modules reach it.
 * @param launcher a command that becomes the program whose command line follows it
 * @param flags of Node
 */
export const runCli = (
  args: readonly string[],
  environment: Record<string, string> = {},
  launcher: readonly string[] = [],
  flags: readonly string[] = [],
): Command => {
  const [file = process.execPath, ...rest] = [...launcher, process.execPath, ...flags, CLI, ...args];
  const child = spawn(file, rest, { env: inherited(environment) });
  // One with a database of its own has to stop that first; any other need not be waited for by tests that do not test its drain.
  return follow(child, () => child.kill(environment.DATABASE_URL ? 'SIGKILL' : 'SIGTERM'));
};

const inherited = (environment: Record<string, string>): NodeJS.ProcessEnv => {
  const { PATH, XDG_CACHE_HOME } = process.env;
  return { PATH, XDG_CACHE_HOME, ...environment };
};

const follow = (child: ChildProcessWithoutNullStreams, end: () => void): Command => {
  // A test that failed may not have ended it.
  process.once('exit', end);
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
      for (const check of waiting) check();
    });
  }
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (code, signal) => {
      process.off('exit', end);
      resolve(code ?? signal ?? -1);
    });
  });

  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const match = pattern.exec(output);
        if (!match) return;
        waiting.delete(check);
        resolve(match);
      };
      waiting.add(check);
      check();
      void ended.then((code) => reject(new Error(`ended with ${code} without printing ${pattern}:\n${output}`)));
    });

  return { child, output: () => output, ended, printed, end };
};

export interface ServingProcess extends AsyncDisposable {
  readonly url: string;
  readonly command: Command;
}

/** The gateway as a process on a free port, once it listens. */
export const startGatewayProcess = async (
  environment: Record<string, string>,
  launcher: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<ServingProcess> => serving(runCli(['serve'], await onAnyPort(environment), launcher, flags));

/**
 * The gateway as npm or npx starts it, in a process group of its own, which a terminal gives each command.
 * @param commandLine of npm or npx
 */
export const startByNpm = async (
  environment: Record<string, string>,
  [file, ...args]: readonly [string, ...string[]] = ['npm', 'start'],
): Promise<ServingProcess> => {
  const child = spawn(file, args, {
    cwd: ROOT,
    env: inherited(await onAnyPort(environment)),
    detached: true,
  });
  return serving(follow(child, () => signalGroup(child, 'SIGTERM')));
};

/** Processes that a process has started. On Linux. */
export const childrenOf = async (pid = 0): Promise<number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
};

/** Sends a signal as a terminal does: to a command and to all that it has started. */
export const signalGroup = ({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // All have ended.
  }
};

/** Workers are told the port that their primary has found, and listen on it when they have started. */
const onAnyPort = async (environment: Record<string, string>): Promise<Record<string, string>> => ({
  PORT: Number(environment.WORKERS) > 1 ? String(await findFreePort()) : '0',
  HOST: '127.0.0.1',
  ...environment,
});

const serving = async (command: Command): Promise<ServingProcess> => {
  const [, url = ''] = await command.printed(/listening on (http:\/\/[^"\s]+)/);
  return {
    url,
    command,
    [Symbol.asyncDispose]: async () => {
      command.end();
      await command.ended;
    },
  };
};
