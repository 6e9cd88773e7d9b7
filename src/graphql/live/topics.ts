import type { ExecutionResult } from 'graphql';
import { apart } from '../../apart.ts';
import type { CachedResponse } from '../../cache/cached-response.ts';
import type { Found } from '../../cache/response-cache.ts';
import { createSemaphore } from '../../overload/load-guard.ts';
import {
  type ChangeSource,
  type LiveEvent,
  MIN_INTERVAL_MS,
  RETRY_MS,
  type Topic,
  type TopicListener,
} from './topic.ts';

/** A live operation that can be executed again. */
export interface LiveOperation {
  /** Executes it, or finds its response in the cache. */
  readonly run: () => Promise<Found>;
  readonly toResult: (response: CachedResponse) => ExecutionResult;
  /** What must differ for an event: the text without what changes silently. */
  readonly toComparable: (response: CachedResponse) => string;
}

interface Options extends ChangeSource {
  /** All listeners of a topic have been given an event. @param lagMs since the change was notified, or was to happen */
  readonly onPublished: (lagMs: number) => void;
}

/** Where there are many topics, each has this much more time between two executions: together they take a part of one core. */
const MIN_INTERVAL_PER_TOPIC_MS = 0.5;

/** This long after a planned change, a heartbeat no longer takes that change for the next one. */
const AFTER_CHANGE_MS = 5;

const MAX_TIMER_MS = 3_600_000;

/** Executions at the same time: fewer than the load guard always accepts. */
const CONCURRENCY = 32;

/**
 * The live operations of all listeners. Equal ones are executed once for each change, by way of the response cache. A change is one of a cache tag
 * that the last response depends on, or the time at which the response changes by itself.
 */
export class Topics {
  readonly options: Options;
  readonly #topics = new Map<string, StateTopic>();
  readonly #semaphore = createSemaphore(CONCURRENCY);
  readonly #unwatch: () => void;
  #isLooking = false;

  constructor(options: Options) {
    this.options = options;
    this.#unwatch = options.tagVersions.watch(() => this.#lookSoon());
  }

  /**
   * Joins those who listen to an equal operation.
   * @param found the response to this listener's own request
   */
  join(operation: LiveOperation, found: Found, listener: TopicListener): Topic {
    const { key } = found.answer;
    let topic = this.#topics.get(key);
    if (topic) topic.offer(found);
    else {
      topic = new StateTopic(this, operation, found);
      this.#topics.set(key, topic);
      topic.begin(found);
    }
    topic.listeners.add(listener);
    return topic;
  }

  /** To be called again and again: what is over where changes are not notified is executed again. */
  look(): void {
    const nowMs = performance.now();
    for (const topic of this.#topics.values()) if (topic.isOver(nowMs)) topic.renew(nowMs);
  }

  close(): void {
    this.#unwatch();
    for (const topic of this.#topics.values()) topic.close();
  }

  get intervalMs(): number {
    return Math.max(MIN_INTERVAL_MS, this.#topics.size * MIN_INTERVAL_PER_TOPIC_MS);
  }

  isOpen(topic: StateTopic): boolean {
    return this.#topics.get(topic.key) === topic;
  }

  remove(topic: StateTopic): void {
    if (this.isOpen(topic)) this.#topics.delete(topic.key);
  }

  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#semaphore.during(work);
  }

  /** Notifications that arrive together are looked at together. */
  #lookSoon(): void {
    if (this.#isLooking || this.#topics.size === 0) return;
    this.#isLooking = true;
    const changedMs = performance.now();
    setImmediate(() => {
      this.#isLooking = false;
      for (const topic of this.#topics.values()) if (topic.hasChanged) topic.renew(changedMs);
    });
  }
}

/** What a live operation shows, for all who listen to it. */
class StateTopic implements Topic {
  readonly key: string;
  readonly listeners = new Set<TopicListener>();
  readonly #topics: Topics;
  readonly #operation: LiveOperation;
  #latest: CachedResponse;
  #event: LiveEvent;
  /** When the change that is not shown yet was notified, by `performance.now()`. */
  #changedMs: number | undefined;
  #isQueued = false;
  /** When it was last executed, by `performance.now()`. */
  #executedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(topics: Topics, operation: LiveOperation, { answer }: Found) {
    this.key = answer.key;
    this.#topics = topics;
    this.#operation = operation;
    this.#latest = answer;
    this.#event = this.#eventOf(answer);
  }

  begin({ outcome }: Found): void {
    if (outcome === 'stale') this.#retry();
    else this.#awaitChange();
  }

  /** The last event, with what changes silently as it was when it was made. */
  first(): LiveEvent {
    return this.#event;
  }

  leave(listener: TopicListener): void {
    this.listeners.delete(listener);
    if (this.listeners.size === 0) this.close();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#topics.remove(this);
  }

  get hasChanged(): boolean {
    return this.#topics.options.tagVersions.hasChanged(this.#latest);
  }

  /** Whether it is no longer to be trusted, where changes are not notified. */
  isOver(nowMs: number): boolean {
    const { trustedUntilMs } = this.#latest;
    return trustedUntilMs !== undefined && nowMs >= trustedUntilMs;
  }

  /** Takes what a new listener has brought. */
  offer({ answer, outcome }: Found): void {
    if (outcome !== 'stale') this.#take(answer, performance.now());
  }

  /** Executes the operation as soon as its turn comes. @param changedMs when it was due, by `performance.now()` */
  renew(changedMs: number): void {
    this.#changedMs ??= changedMs;
    if (this.#isQueued) return;
    const waitMs = this.#executedMs + this.#topics.intervalMs - performance.now();
    if (waitMs > 0) this.#arm(waitMs, () => this.#enqueue());
    else this.#enqueue();
  }

  #retry(changedMs?: number): void {
    this.#arm(RETRY_MS, () => this.renew(changedMs ?? performance.now()));
  }

  #arm(delayMs: number, action: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = apart(() => setTimeout(action, Math.min(Math.max(0, delayMs), MAX_TIMER_MS)));
  }

  #enqueue(): void {
    if (this.#isQueued || !this.#isOpen) return;
    clearTimeout(this.#timer);
    this.#isQueued = true;
    void apart(() =>
      this.#topics.inTurn(async () => {
        if (this.#isOpen) await this.#execute();
      }),
    );
  }

  async #execute(): Promise<void> {
    const { freshnessMonitor, kindOf } = this.#topics.options;
    const changedMs = this.#changedMs ?? performance.now();
    this.#changedMs = undefined;
    this.#executedMs = performance.now();
    let found: Found | undefined;
    try {
      await freshnessMonitor.plan();
      found = await this.#operation.run();
    } catch (error) {
      if (kindOf(error) === 'other') this.#fail(error);
    }
    this.#isQueued = false;
    if (!this.#isOpen) return;
    if (found && found.outcome !== 'stale') this.#take(found.answer, changedMs);
    else this.#retry(changedMs);
  }

  /** Publishes a response if it shows something else, and sees to the next one. */
  #take(response: CachedResponse, changedMs: number): void {
    // A listener that came meanwhile may have brought a newer one. One that shows a later change is newer, even if a row that was known makes it
    // seem older.
    const latest = this.#latest;
    if (response.trueAt > latest.trueAt || response.asOfMs >= latest.asOfMs) {
      this.#latest = response;
      if (response.etag !== latest.etag) this.#show(response, changedMs);
    }
    this.#awaitChange();
  }

  #show(response: CachedResponse, changedMs: number): void {
    const last = this.#event;
    this.#event = this.#eventOf(response);
    if (this.#event.shown === last.shown) return;
    for (const listener of this.listeners) listener.onEvent(this.#event);
    this.#topics.options.onPublished(performance.now() - changedMs);
  }

  #eventOf(response: CachedResponse): LiveEvent {
    return { result: this.#operation.toResult(response), shown: this.#operation.toComparable(response) };
  }

  /** Waits for the next change: one that is planned, or one that came while the response was made. */
  #awaitChange(): void {
    if (!this.#isOpen) return;
    const { changesMs } = this.#latest;
    if (this.#changedMs !== undefined || this.hasChanged) this.renew(performance.now());
    else if (changesMs === undefined) clearTimeout(this.#timer);
    else this.#arm(changesMs + AFTER_CHANGE_MS - this.#topics.options.clock.nowMs(), () => this.#onTime());
  }

  #onTime(): void {
    const { changesMs = Number.POSITIVE_INFINITY } = this.#latest;
    const lateMs = this.#topics.options.clock.nowMs() - changesMs;
    if (lateMs < 0) this.#awaitChange();
    else this.renew(performance.now() - lateMs);
  }

  #fail(error: unknown): void {
    this.close();
    for (const listener of this.listeners) listener.onFailure(error);
  }

  get #isOpen(): boolean {
    return this.#topics.isOpen(this);
  }
}
