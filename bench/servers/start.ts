import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '../load/http-client.ts';
import type { Call } from '../workloads/workload.ts';
import type { Contender } from './contenders.ts';

/** A server as a process of its own, which has answered once. */
export interface RunningServer extends AsyncDisposable {
  readonly contender: Contender;
  readonly url: string;
  readonly pid: number;
  readonly client: HttpClient;
  /** From the start of the process to its first right answer. */
  readonly startupMs: number;
  /** An error of this server, with what it has printed. */
  readonly withOutput: (error: unknown) => Error;
  /** Writes a line to its standard input. */
  readonly tell: (line: string) => void;
}

interface Options {
  readonly contender: Contender;
  readonly environment: Readonly<Record<string, string>>;
  /** What it has to answer to count as started. */
  readonly firstCall: Call;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000;
const MAX_TAIL_CHARS = 4_000;

/** @throws Error with what it has printed when it ends, or takes too long */
export const startServer = async ({ contender, environment, firstCall }: Options): Promise<RunningServer> => {
  const startedMs = performance.now();
  // The title tells the processes apart in what lists them.
  const title = `--title=bench-${contender.name}`;
  const child = spawn(process.execPath, [title, ...contender.command], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      ...contender.environment,
      ...environment,
    },
    stdio: 'pipe',
  });
  const output = tailOf(child);
  const withOutput = (error: unknown): Error =>
    new Error(
      `${contender.name}: ${error instanceof Error ? error.message : error}\nThe last that it printed:\n${output()}`,
      {
        cause: error,
      },
    );
  try {
    const url = await listening(child, output);
    const client = createHttpClient(url);
    const { status, body } = await client.call(firstCall);
    if (status !== 200) throw new Error(`it answered its first request ${status}: ${body}`);
    const startupMs = performance.now() - startedMs;
    return {
      contender,
      url,
      withOutput,
      pid: child.pid ?? 0,
      client,
      startupMs,
      tell: (line) => void child.stdin.write(`${line}\n`),
      [Symbol.asyncDispose]: async () => {
        client[Symbol.dispose]();
        await stop(child);
      },
    };
  } catch (error) {
    await stop(child);
    throw withOutput(error);
  }
};

/** The last that a process has printed, for when it fails. */
const tailOf = (child: ChildProcess): (() => string) => {
  let tail = '';
  const read = (chunk: Buffer): void => {
    tail = (tail + chunk).slice(-MAX_TAIL_CHARS);
  };
  child.stdout?.on('data', read);
  child.stderr?.on('data', read);
  return () => tail;
};

const listening = (child: ChildProcess, tail: () => string): Promise<string> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('It did not listen in time')), START_TIMEOUT_MS);
    const read = (): void => {
      const url = /listening on (http:\/\/[^"\s]+)/.exec(tail())?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      child.stdout?.off('data', read);
      resolve(url);
    };
    child.stdout?.on('data', read);
    child.once('error', reject);
    child.once('close', (code, signal) => reject(new Error(`It ended with ${code ?? signal}`)));
  });

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const killing = new AbortController();
  void delay(STOP_TIMEOUT_MS, undefined, { signal: killing.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  );
  await closed;
  killing.abort();
};
