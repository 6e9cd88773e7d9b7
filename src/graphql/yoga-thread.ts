import type { Worker } from 'node:worker_threads';
import type { GatewayRequest } from '../http/message.ts';
import { startThread } from '../start-thread.ts';
import { YOGA_CODES } from './failures.ts';
import { readText } from './parse-request.ts';

/** What Yoga says is wrong with a request. */
export interface Fault {
  readonly message: string;
  /** Yoga's own code, status and headers (their names in lower case). */
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** A request whose fault is asked for. */
export interface Question {
  readonly number: number;
  readonly target: string;
  /** Undefined for GET. */
  readonly body: string | undefined;
}

export type Answer = { readonly number: number } & ({ readonly faults: readonly Fault[] } | { readonly error: Error });

/**
 * The thread with Yoga, which finds what is wrong with the parameters of a GraphQL request. It starts with the first of them, and ends when it has had nothing
 * to do for a while. Yoga is half of all code that there is to load, for which everybody else would wait on the main thread (docs/fast-path.md). A fault takes
 * it 600 µs of CPU.
 */
export interface YogaThread {
  /** Rejects where Yoga finds no fault, and where the thread dies. */
  readonly faultsOf: (request: Pick<GatewayRequest, 'method' | 'target' | 'body'>) => Promise<readonly Fault[]>;
  readonly stop: () => Promise<void>;
}

const IDLE_MS = 60_000;

const HEAP = {
  /** For 64 requests with the largest bodies. */
  maxOldGenerationSizeMb: 256,
  /** With V8's own bound the process grows by 41 MB, with this by 31 (2026-11-27). */
  maxYoungGenerationSizeMb: 3,
};

/** @param idleMs how long it may have nothing to do */
export const createYogaThread = ({ idleMs = IDLE_MS } = {}): YogaThread => {
  const waiting = new Map<number, PromiseWithResolvers<readonly Fault[]>>();
  let worker: Worker | undefined;
  let questions = 0;
  let ending: NodeJS.Timeout | undefined;

  const failAll = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const stop = async (): Promise<void> => {
    clearTimeout(ending);
    const stopped = worker;
    worker = undefined;
    failAll(new Error('the gateway closes'));
    await stopped?.terminate();
  };

  const onAnswer = (answer: Answer): void => {
    const question = waiting.get(answer.number);
    waiting.delete(answer.number);
    if ('error' in answer) question?.reject(answer.error);
    else {
      const other = answer.faults.find(({ extensions }) => !(String(extensions.code) in YOGA_CODES));
      if (other) question?.reject(new Error(other.message));
      else question?.resolve(answer.faults);
    }
    if (waiting.size > 0) return;
    worker?.unref();
    ending = setTimeout(stop, idleMs).unref();
  };

  const start = (): Worker => {
    const started = startThread(new URL('./yoga.worker.ts', import.meta.url), { resourceLimits: HEAP });
    started.on('message', onAnswer);
    started.once('error', failAll);
    started.once('exit', () => {
      // It was stopped, and another may have been started since.
      if (worker !== started) return;
      worker = undefined;
      failAll(new Error('the thread with Yoga has ended'));
    });
    return started;
  };

  return {
    faultsOf: ({ method, target, body }) => {
      clearTimeout(ending);
      questions += 1;
      const question: Question = {
        number: questions,
        target,
        body: method === 'POST' && Buffer.isBuffer(body) ? readText(body) : undefined,
      };
      const answer = Promise.withResolvers<readonly Fault[]>();
      waiting.set(question.number, answer);
      worker ??= start();
      // A program that waits for the answer does not end before it.
      worker.ref();
      worker.postMessage(question);
      return answer.promise;
    },
    stop,
  };
};
