import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Change } from '../../cache/tags.ts';
import { startThread } from '../../start-thread.ts';
import type { Answer, Asked, BrowseEngine } from '../browse-engine.ts';

export interface ThreadOptions {
  readonly databaseUrl: string;
  readonly maxBytes: number;
  /** Where texts are looked for before the tables' columns, of each further language. */
  readonly languages: readonly (readonly string[])[];
}

export type Question = {
  [Name in keyof BrowseEngine]: { readonly name: Name; readonly asked: Asked<Name> };
}[keyof BrowseEngine];

/** Undefined where the index cannot answer. */
export type Found<Name extends keyof BrowseEngine = keyof BrowseEngine> = { readonly answer: Answer<Name> } | undefined;

/** Messages to the thread come in the order in which they happened: a question is answered with every change that was notified before it. */
export type ToThread =
  | { readonly kind: 'changed'; readonly changes: readonly Change[] }
  | ({ readonly kind: 'question'; readonly number: number } & Question);

export interface IndexStatus {
  /** Whether it answers. */
  readonly isReady: boolean;
  /** Also while it is filled. */
  readonly products: number;
  /**
   * The share of the products that is in the index while it is filled, as far as PostgreSQL's statistics know how many there are; 1 once it is ready.
   */
  readonly filledShare: number;
  readonly bytes: number;
}

export const NO_INDEX: IndexStatus = { isReady: false, products: 0, filledShare: 0, bytes: 0 };

export type FromThread =
  | { readonly kind: 'answer'; readonly number: number; readonly found: Found }
  | { readonly kind: 'status'; readonly status: IndexStatus }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string };

/** After this time SQL is asked instead. The slowest questions take 0.3 s. */
const PATIENCE_MS = 1000;

/** The tables that the index reads. */
const TABLES = ['product', 'category', 'term_translation'];

/**
 * Changes are sent at once, so that a question seldom waits until they are read. Those of so short a time after others are sent together, at the
 * latest before the next question: each message takes some 100 µs, and the index a statement.
 */
const COLLECT_MS = 5;

/** The code that the thread ends with where there is to be no index. */
export const UNFIT = 0;

/** The heap of the thread holds the texts of words, brands and tags; everything else is outside of it. */
const MAX_HEAP_SHARE = 0.5;
const MIN_HEAP_MB = 64;
/** By itself V8 lets it grow to 48 MB while the index is filled: a process with 20,000 products grew by 131 MB, and by 71 with this (2026-11-23). */
const YOUNG_HEAP_MB = 6;

/** The thread with the index. */
export class IndexThread {
  #worker: Worker | undefined;
  status = NO_INDEX;
  /** Questions that are not answered yet, by their numbers. */
  readonly #waiting = new Map<number, (found: Found) => void>();
  #questions = 0;
  /** Changes that are not sent yet. */
  #changes: Change[] = [];
  #sending: NodeJS.Timeout | undefined;
  #sentMs = Number.NEGATIVE_INFINITY;

  /**
   * @param onDecided is called with each status of an index that is ready, and where there is to be none
   * @param onDeath is called where the thread has ended, and another one may do better
   */
  constructor(options: ThreadOptions, log: Logger, onDecided: () => void, onDeath: (wasReady: boolean) => void) {
    const worker = startThread(new URL('./index.worker.ts', import.meta.url), {
      workerData: options,
      resourceLimits: {
        maxOldGenerationSizeMb: MIN_HEAP_MB + (options.maxBytes / 1_048_576) * MAX_HEAP_SHARE,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
      },
    });
    // The process may end while the index is filled.
    worker.unref();
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'answer') this.#waiting.get(message.number)?.(message.found);
      else if (message.kind === 'log') log[message.level](message.message);
      else {
        this.status = message.status;
        if (message.status.isReady) onDecided();
      }
    });
    worker.on('error', (error) => log.error({ err: error }, 'the thread with the index of products died'));
    worker.once('exit', (code) => {
      const { isReady } = this.status;
      this.#worker = undefined;
      this.status = NO_INDEX;
      clearTimeout(this.#sending);
      for (const resolve of this.#waiting.values()) resolve(undefined);
      if (code === UNFIT) onDecided();
      else onDeath(isReady);
    });
    this.#worker = worker;
  }

  changed(change: Change): void {
    if (!this.#worker || !TABLES.includes(change.table)) return;
    this.#changes.push(change);
    const waitMs = this.#sentMs + COLLECT_MS - performance.now();
    if (waitMs <= 0) this.#sendChanges();
    else this.#sending ??= setTimeout(() => this.#sendChanges(), waitMs).unref();
  }

  /** @returns undefined where the index cannot answer, or not in time */
  async ask<Name extends keyof BrowseEngine>(name: Name, asked: Asked<Name>): Promise<Found<Name>> {
    if (!this.status.isReady) return undefined;
    this.#questions += 1;
    const number = this.#questions;
    const { promise, resolve } = Promise.withResolvers<Found>();
    this.#waiting.set(number, resolve);
    const timer = setTimeout(resolve, PATIENCE_MS, undefined);
    this.#sendChanges();
    const question = { name, asked } as Question;
    this.#worker?.postMessage({ kind: 'question', number, ...question } satisfies ToThread);
    try {
      return (await promise) as Found<Name>;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(number);
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #sendChanges(): void {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    if (this.#changes.length === 0) return;
    this.#sentMs = performance.now();
    this.#worker?.postMessage({ kind: 'changed', changes: this.#changes } satisfies ToThread);
    this.#changes = [];
  }
}
