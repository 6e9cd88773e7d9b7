import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Change } from '../../cache/tags.ts';
import { startThread } from '../../start-thread.ts';
import type { BrowseRequest, BrowseResult, SearchTerm } from '../browse-engine.ts';
import type { Suggested } from './suggestions.ts';

export interface ThreadOptions {
  readonly databaseUrl: string;
  readonly maxBytes: number;
}

/** To the thread, in the order in which they happened: a question is answered with every change that was notified before it. */
export type ToThread =
  | { readonly kind: 'changed'; readonly changes: readonly NotifiedChange[] }
  | ({ readonly kind: 'question'; readonly number: number } & Question);

export interface NotifiedChange {
  readonly table: string;
  /** Undefined: any row may have changed. */
  readonly ids: readonly number[] | undefined;
}

export interface Questions {
  readonly search: { readonly asked: BrowseRequest; readonly answer: BrowseResult };
  readonly suggest: {
    readonly asked: { readonly terms: readonly SearchTerm[]; readonly now: Date; readonly maxProducts: number };
    readonly answer: Suggested;
  };
  readonly correct: {
    readonly asked: { readonly terms: readonly SearchTerm[]; readonly now: Date };
    readonly answer: { readonly terms: readonly SearchTerm[] | undefined };
  };
}

export type Question = {
  [Name in keyof Questions]: { readonly name: Name; readonly asked: Questions[Name]['asked'] };
}[keyof Questions];

export interface IndexStatus {
  /** Whether it answers what is no search: soon after a start it has no words yet. */
  readonly isBrowsable: boolean;
  /** Whether it answers everything. */
  readonly isReady: boolean;
  /** Also while it is filled. */
  readonly products: number;
  /** The share of the products that is in the index while it is filled, as far as PostgreSQL's statistics know how many there are; 1 once it is ready. */
  readonly filledShare: number;
  /** Products that it cannot hold: while there is one, it does not answer. */
  readonly leftOut: number;
  readonly bytes: number;
}

export type FromThread =
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown }
  | { readonly kind: 'status'; readonly status: IndexStatus }
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string };

/** The thread with the index, started again where it dies. */
export interface IndexThread {
  readonly status: () => IndexStatus;
  /** Whether it is still to be ready for the first time. */
  readonly isAwaited: () => boolean;
  readonly changed: (change: Change) => void;
  /** Undefined where the index cannot answer, or not in time. */
  readonly ask: <Name extends keyof Questions>(
    name: Name,
    asked: Questions[Name]['asked'],
  ) => Promise<Questions[Name]['answer'] | undefined>;
  readonly stop: () => Promise<void>;
}

export const NO_INDEX: IndexStatus = {
  isBrowsable: false,
  isReady: false,
  products: 0,
  filledShare: 0,
  leftOut: 0,
  bytes: 0,
};

/** After this time SQL is asked instead. The slowest questions take 0.3 s. */
const PATIENCE_MS = 1000;

/** Changes that come one after another are sent together, at the latest before the next question: each message takes some 100 µs. */
const COLLECT_MS = 20;
/** The thread takes some 2 ms for so many, which the next question might have to wait for. */
const MAX_COLLECTED = 200;

const FIRST_RESTART_MS = 1000;
const MAX_RESTART_MS = 60_000;

/** The heap of the thread holds the texts of words, brands and tags; everything else is outside of it. */
const MAX_HEAP_SHARE = 0.5;
const MIN_HEAP_MB = 64;
/** By itself V8 lets it grow to 48 MB while the index is filled: a process with 20,000 products grew by 131 MB, and by 71 with this (2026-11-23). */
const YOUNG_HEAP_MB = 6;

export const startIndexThread = (options: ThreadOptions, log: Logger): IndexThread => {
  const waiting = new Map<number, (answer: unknown) => void>();
  let worker: Worker | undefined;
  let status = NO_INDEX;
  let questions = 0;
  let isStopped = false;
  let isAwaited = true;
  let restartMs = FIRST_RESTART_MS;
  let restarting: NodeJS.Timeout | undefined;

  const onMessage = (message: FromThread): void => {
    switch (message.kind) {
      case 'answer':
        waiting.get(message.number)?.(message.answer);
        return;
      case 'status':
        ({ status } = message);
        if (!status.isReady) return;
        isAwaited = false;
        restartMs = FIRST_RESTART_MS;
        return;
      case 'log':
        log[message.level](message.message);
        return;
      case 'unfit':
        log.warn(`there is no index of products: ${message.reason}; PostgreSQL answers instead`);
        isStopped = true;
        isAwaited = false;
        void worker?.terminate();
    }
  };

  const onExit = (): void => {
    worker = undefined;
    status = NO_INDEX;
    for (const resolve of waiting.values()) resolve(undefined);
    if (isStopped) return;
    restarting = setTimeout(start, restartMs).unref();
    restartMs = Math.min(restartMs * 2, MAX_RESTART_MS);
  };

  const start = (): void => {
    const started = startThread(new URL('./index.worker.ts', import.meta.url), {
      workerData: options,
      resourceLimits: {
        maxOldGenerationSizeMb: MIN_HEAP_MB + (options.maxBytes / 1_048_576) * MAX_HEAP_SHARE,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
      },
    });
    // The process may end while the index is filled.
    started.unref();
    started.on('message', onMessage);
    started.on('error', (error) => log.error({ err: error }, 'the thread with the index of products died'));
    started.once('exit', onExit);
    worker = started;
  };

  const send = (message: ToThread): void => worker?.postMessage(message);

  let changes: NotifiedChange[] = [];
  let sendingChanges: NodeJS.Timeout | undefined;

  const sendChanges = (): void => {
    clearTimeout(sendingChanges);
    sendingChanges = undefined;
    if (changes.length === 0) return;
    send({ kind: 'changed', changes });
    changes = [];
  };

  start();

  return {
    status: () => status,
    isAwaited: () => isAwaited,
    changed: ({ table, rows }) => {
      if (table !== 'product' && table !== 'category') return;
      changes.push({ table, ids: rows?.ids });
      if (changes.length >= MAX_COLLECTED) sendChanges();
      else sendingChanges ??= setTimeout(sendChanges, COLLECT_MS).unref();
    },
    ask: async (name, asked) => {
      if (!status.isBrowsable) return undefined;
      questions += 1;
      const number = questions;
      const { promise, resolve } = Promise.withResolvers<unknown>();
      waiting.set(number, resolve);
      const timer = setTimeout(resolve, PATIENCE_MS, undefined);
      sendChanges();
      send({ kind: 'question', number, name, asked } as Question & { kind: 'question'; number: number });
      try {
        return (await promise) as Questions[typeof name]['answer'] | undefined;
      } finally {
        clearTimeout(timer);
        waiting.delete(number);
      }
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(restarting);
      clearTimeout(sendingChanges);
      await worker?.terminate();
    },
  };
};
