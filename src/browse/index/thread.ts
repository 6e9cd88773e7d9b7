import type { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Change } from '../../cache/tags.ts';
import { startThread } from '../../start-thread.ts';
import type {
  BrowseRequest,
  BrowseResult,
  FallBacks,
  SearchTerm,
  Suggestion,
  SuggestionRequest,
} from '../browse-engine.ts';

export interface ThreadOptions {
  readonly databaseUrl: string;
  readonly maxBytes: number;
  /** Where texts are looked for before the tables' columns, of each further language. */
  readonly languages: readonly (readonly string[])[];
}

export interface NotifiedChange {
  readonly table: string;
  /** Undefined: any row may have changed. */
  readonly ids: readonly number[] | undefined;
}

export interface SuggestedProduct {
  readonly id: number;
  readonly sales: number;
  readonly name?: string;
}

export interface Suggested {
  /** In the order of BEST_SELLING. A name that the index does not have is read from the database by the caller. */
  readonly products: readonly SuggestedProduct[];
  readonly hasMore: boolean;
  /** Categories, brands and tags, in no order. */
  readonly others: readonly Suggestion[];
}

export interface Questions {
  readonly search: { readonly asked: BrowseRequest; readonly answer: BrowseResult };
  readonly suggest: {
    readonly asked: Omit<SuggestionRequest, 'limit'> & { readonly maxProducts: number };
    readonly answer: Suggested;
  };
  readonly correct: {
    readonly asked: { readonly terms: readonly SearchTerm[]; readonly now: Date; readonly languages?: FallBacks };
    readonly answer: { readonly terms: readonly SearchTerm[] | undefined };
  };
}

export type Question = {
  [Name in keyof Questions]: { readonly name: Name; readonly asked: Questions[Name]['asked'] };
}[keyof Questions];

/** Messages to the thread come in the order in which they happened: a question is answered with every change that was notified before it. */
export type ToThread =
  | { readonly kind: 'changed'; readonly changes: readonly NotifiedChange[] }
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
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown }
  | { readonly kind: 'status'; readonly status: IndexStatus }
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string };

/** After this time SQL is asked instead. The slowest questions take 0.3 s. */
const PATIENCE_MS = 1000;

/** The tables that the index reads. */
const TABLES = ['product', 'category', 'term_translation'];

/** Changes that come one after another are sent together, at the latest before the next question: each message takes some 100 µs. */
const COLLECT_MS = 20;

const FIRST_RESTART_MS = 1000;
const MAX_RESTART_MS = 60_000;

/** The heap of the thread holds the texts of words, brands and tags; everything else is outside of it. */
const MAX_HEAP_SHARE = 0.5;
const MIN_HEAP_MB = 64;
/** By itself V8 lets it grow to 48 MB while the index is filled: a process with 20,000 products grew by 131 MB, and by 71 with this (2026-11-23). */
const YOUNG_HEAP_MB = 6;

/** The thread with the index, started again where it dies. */
export class IndexThread {
  readonly #options: ThreadOptions;
  readonly #log: Logger;
  #worker: Worker | undefined;
  status = NO_INDEX;
  /** Whether it is still to be ready for the first time. */
  isAwaited = true;
  #isStopped = false;
  #restartMs = FIRST_RESTART_MS;
  #restarting: NodeJS.Timeout | undefined;
  /** Questions that are not answered yet, by their numbers. */
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #questions = 0;
  /** Changes that are not sent yet. */
  #changes: NotifiedChange[] = [];
  #sending: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#start();
  }

  changed({ table, rows }: Change): void {
    if (this.#isStopped || !TABLES.includes(table)) return;
    this.#changes.push({ table, ids: rows?.ids });
    this.#sending ??= setTimeout(() => this.#sendChanges(), COLLECT_MS).unref();
  }

  /** @returns undefined where the index cannot answer, or not in time */
  async ask<Name extends keyof Questions>(
    name: Name,
    asked: Questions[Name]['asked'],
  ): Promise<Questions[Name]['answer'] | undefined> {
    if (!this.status.isReady) return undefined;
    this.#questions += 1;
    const number = this.#questions;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(number, resolve);
    const timer = setTimeout(resolve, PATIENCE_MS, undefined);
    this.#sendChanges();
    this.#send({ kind: 'question', number, name, asked } as Question & { kind: 'question'; number: number });
    try {
      return (await promise) as Questions[Name]['answer'] | undefined;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(number);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#restarting);
    clearTimeout(this.#sending);
    await this.#worker?.terminate();
  }

  #start(): void {
    const started = startThread(new URL('./index.worker.ts', import.meta.url), {
      workerData: this.#options,
      resourceLimits: {
        maxOldGenerationSizeMb: MIN_HEAP_MB + (this.#options.maxBytes / 1_048_576) * MAX_HEAP_SHARE,
        maxYoungGenerationSizeMb: YOUNG_HEAP_MB,
      },
    });
    // The process may end while the index is filled.
    started.unref();
    started.on('message', (message: FromThread) => this.#receive(message));
    started.on('error', (error) => this.#log.error({ err: error }, 'the thread with the index of products died'));
    started.once('exit', () => this.#restart());
    this.#worker = started;
  }

  #restart(): void {
    this.#worker = undefined;
    this.status = NO_INDEX;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    if (this.#isStopped) return;
    this.#restarting = setTimeout(() => this.#start(), this.#restartMs).unref();
    this.#restartMs = Math.min(this.#restartMs * 2, MAX_RESTART_MS);
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'answer':
        this.#waiting.get(message.number)?.(message.answer);
        return;
      case 'status':
        this.status = message.status;
        if (!message.status.isReady) return;
        this.isAwaited = false;
        this.#restartMs = FIRST_RESTART_MS;
        return;
      case 'log':
        this.#log[message.level](message.message);
        return;
      case 'unfit':
        this.#log.warn(`there is no index of products: ${message.reason}; PostgreSQL answers instead, until a restart`);
        this.#isStopped = true;
        this.isAwaited = false;
        void this.#worker?.terminate();
    }
  }

  #send(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  #sendChanges(): void {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    if (this.#changes.length === 0) return;
    this.#send({ kind: 'changed', changes: this.#changes });
    this.#changes = [];
  }
}
