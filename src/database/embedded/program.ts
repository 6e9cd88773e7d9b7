import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorError } from '../../errors.ts';
import type { Account } from './account.ts';

/** Setting up a cluster takes half a second, and on a slow disk some more. */
const RUN_TIMEOUT_MS = 120_000;

/** How many of the lines that a program printed last go into the error about its failure. */
const MAX_REPORTED_LINES = 10;

/** A started program. */
export interface Program {
  readonly child: ChildProcess;
  /** Resolves when it has ended and all it printed was read: to its last lines, or to the error that tells of them. */
  readonly ended: Promise<string | OperatorError>;
}

/** Starts a program of PostgreSQL as `account`, with `input` to read; `log` is given each line it prints. */
export const startProgram = (
  account: Account,
  file: string,
  args: readonly string[],
  { input = '', log }: { input?: string; log?: (line: string) => void } = {},
): Program => {
  const [command = file, ...rest] = [...account.prefix, file, ...args];
  const child = spawn(command, rest, {
    // The account may not be able to enter the directory in which the gateway was started.
    cwd: '/',
    // In a group of its own it does not get the terminal's Ctrl-C: the gateway drains first and stops its server last.
    detached: true,
    // Nothing of the operator's locale or PG* variables may shape the cluster or the messages.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    ...(account.prefix.length === 0 ? account.owner : undefined),
  });
  // Whoever ends without having read the input is judged by its exit code.
  child.stdin.on('error', () => {}).end(input);
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > MAX_REPORTED_LINES) lastLines.shift();
      log?.(line);
    });
  }
  const ended = new Promise<string | OperatorError>((resolve) => {
    child.on('error', (cause) => resolve(new OperatorError(`${command} does not start: ${cause.message}`, { cause })));
    child.on('close', (code, signal) => {
      const printed = lastLines.join('\n');
      resolve(code === 0 ? printed : new OperatorError(`${basename(file)} ended with ${signal ?? code}:\n${printed}`));
    });
  });
  return { child, ended };
};

/**
 * Runs a program of PostgreSQL to its end and returns the last lines that it printed.
 * @throws OperatorError with those lines when it fails, or takes too long.
 */
export const runProgram = async (
  account: Account,
  file: string,
  args: readonly string[],
  input = '',
): Promise<string> => {
  const { child, ended } = startProgram(account, file, args, { input });
  const deadline = setTimeout(() => child.kill('SIGKILL'), RUN_TIMEOUT_MS);
  const result = await ended.finally(() => clearTimeout(deadline));
  if (typeof result !== 'string') throw result;
  return result;
};
