import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What a program that measures for minutes runs in. */
export interface Surroundings {
  /** Aborts where the program is interrupted. */
  readonly signal: AbortSignal;
  /** What is to be undone at the end, however it ends. */
  readonly cleanup: AsyncDisposableStack;
}

/** Runs it, and says why where it ends early. */
export const runProgram = async (program: (surroundings: Surroundings) => Promise<void>): Promise<void> => {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('interrupted')));
  try {
    await using cleanup = new AsyncDisposableStack();
    await program({ signal: interrupted.signal, cleanup });
  } catch (error) {
    console.error(interrupted.signal.aborted ? 'interrupted' : isExplained(error) ? error.message : error);
    process.exitCode = 1;
  }
};

/** Says what a program takes, and ends it. */
export const endWithHelp = (help: string): never => {
  console.log(help);
  process.exit();
};

/** Faults that are told in words; for any other the stack is what helps. */
const isExplained = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  return error.constructor === Error || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
};

/** A directory that goes at the end. */
export const makeDirectory = async (name: string, cleanup: AsyncDisposableStack): Promise<string> => {
  const directory = await mkdtemp(path.join(tmpdir(), `vitrine-bench-${name}`));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  return directory;
};
