import { apart } from '../../apart.ts';
import type { CachedResponse } from '../../cache/cached-response.ts';
import type { FreshnessMonitor } from '../../cache/freshness-monitor.ts';
import type { Found } from '../../cache/response-cache.ts';
import type { TagVersions } from '../../cache/tags.ts';
import type { Clock } from '../../database/clock.ts';
import { createSemaphore } from '../../overload/load-guard.ts';
import { failureKindOf } from '../failures.ts';
import type { EventSequence, LiveEvent, Topic } from './event-sequence.ts';

/** How topics learn of changes. */
export interface ChangeSource {
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: FreshnessMonitor;
  readonly freshnessMs: number;
  readonly clock: Clock;
}

/** A live operation that can be executed again, and what of it an event shows. */
export interface LiveOperation {
  /** Executes it, or finds its response in the cache. */
  readonly run: () => Promise<Found>;
  readonly eventOf: (response: CachedResponse) => LiveEvent;
}

interface Options extends ChangeSource {
  /** All listeners of a topic have been given an event. @param lagMs since the change was notified, or was to happen */
  readonly onPublished: (lagMs: number) => void;
}

/** In a flood of changes a topic has an event once in this time. */
export const MIN_INTERVAL_MS = 100;

/** Where there are many topics, each has this much more time between two executions: together they take a part of one core. */
const MIN_INTERVAL_PER_TOPIC_MS = 0.5;

/** After a failure that may pass. */
const RETRY_MS = 500;

/** This long after a planned change, a heartbeat no longer takes that change for the next one. */
const AFTER_CHANGE_MS = 5;

/** Executions at the same time: fewer than the load guard always accepts. */
const CONCURRENCY = 32;

/**
 * The live operations of all listeners. Equal ones are executed once for each change, by way of the response cache. A change is one of a cache tag
 * that the last response depends on, or the time at which the response changes by itself.
 */
export class Topics {
  readonly #options: Options;
  readonly #topics = new Map<string, StateTopic>();
  readonly #semaphore = createSemaphore(CONCURRENCY);
  readonly #unwatch: () => void;
  #isLooking = false;

  constructor(options: Options) {
    this.#options = options;
    this.#unwatch = options.tagVersions.watch(() => this.#lookSoon());
  }

  /**
   * Joins those who listen to an equal operation.
   * @param found the response to this listener's own request
   */
  join(operation: LiveOperation, found: Found, listener: EventSequence): Topic {
    const { key } = found.response;
    let topic = this.#topics.get(key);
    if (topic) topic.offer(found);
    else {
      topic = new StateTopic(operation, found, this.#options, () => this.#topics.delete(key));
      this.#topics.set(key, topic);
    }
    topic.listeners.add(listener);
    return topic;
  }

  /** Executes what is due; to be called again and again. */
  look(): void {
    const nowMs = performance.now();
    const clockMs = this.#options.clock.nowMs();
    const intervalMs = Math.max(MIN_INTERVAL_MS, this.#topics.size * MIN_INTERVAL_PER_TOPIC_MS);
    for (const topic of this.#topics.values())
      if (topic.isDue(nowMs, clockMs)) void this.#semaphore.during(topic.begin(intervalMs));
  }

  close(): void {
    this.#unwatch();
    this.#topics.clear();
  }

  /** Notifications that arrive together are looked at together. */
  #lookSoon(): void {
    if (this.#isLooking || this.#topics.size === 0) return;
    this.#isLooking = true;
    apart(setImmediate, () => {
      this.#isLooking = false;
      this.look();
    });
  }
}

/** What a live operation shows, for all who listen to it. */
class StateTopic implements Topic {
  readonly listeners = new Set<EventSequence>();
  readonly #operation: LiveOperation;
  readonly #options: Options;
  readonly #onEmpty: () => void;
  #latest: CachedResponse;
  #event: LiveEvent;
  /** Whether the latest response is none that was true when it was asked for. */
  #isStale: boolean;
  #isBusy = false;
  /** When it may be executed again, by `performance.now()`. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  /** When the change that is not shown yet was notified, or was to happen, by `performance.now()`. */
  #changedMs: number | undefined;

  constructor(operation: LiveOperation, { response, outcome }: Found, options: Options, onEmpty: () => void) {
    this.#operation = operation;
    this.#options = options;
    this.#onEmpty = onEmpty;
    this.#latest = response;
    this.#event = operation.eventOf(response);
    this.#isStale = outcome === 'stale';
    if (this.#isStale) this.#notBeforeMs = performance.now() + RETRY_MS;
  }

  /** The last event, with what changes silently as it was when it was made. */
  first(): LiveEvent {
    return this.#event;
  }

  leave(listener: EventSequence): void {
    this.listeners.delete(listener);
    if (this.listeners.size === 0) this.#onEmpty();
  }

  /** Takes what a new listener has brought. */
  offer({ response, outcome }: Found): void {
    if (outcome !== 'stale') this.#take(response, performance.now());
  }

  /** Whether it is to be executed. @param clockMs the database's time */
  isDue(nowMs: number, clockMs: number): boolean {
    const { changesMs = Number.POSITIVE_INFINITY } = this.#latest;
    if (this.#options.tagVersions.hasChanged(this.#latest)) this.#changedMs ??= nowMs;
    else if (clockMs >= changesMs + AFTER_CHANGE_MS) this.#changedMs ??= nowMs - (clockMs - changesMs);
    else if (this.#isStale) this.#changedMs ??= nowMs;
    return this.#changedMs !== undefined && !this.#isBusy && nowMs >= this.#notBeforeMs;
  }

  /** @param intervalMs to the next execution @returns what executes it, unless all have left before its turn comes */
  begin(intervalMs: number): () => Promise<void> {
    this.#isBusy = true;
    return async () => {
      this.#notBeforeMs = performance.now() + intervalMs;
      if (this.listeners.size > 0) await this.#execute();
      this.#isBusy = false;
    };
  }

  async #execute(): Promise<void> {
    const { freshnessMonitor } = this.#options;
    const changedMs = this.#changedMs ?? performance.now();
    this.#changedMs = undefined;
    try {
      await freshnessMonitor.plan();
      const { response, outcome } = await this.#operation.run();
      if (outcome !== 'stale') return this.#take(response, changedMs);
    } catch (error) {
      if (failureKindOf(error) === 'other') for (const listener of this.listeners) listener.end('failure', error);
    }
    this.#changedMs = changedMs;
    this.#notBeforeMs = performance.now() + RETRY_MS;
  }

  /** Publishes a response if it shows something else. */
  #take(response: CachedResponse, changedMs: number): void {
    // A listener that came meanwhile may have brought a newer one. One that shows a later change is newer, even if a row that was known makes it
    // seem older.
    const latest = this.#latest;
    if (response.trueAt <= latest.trueAt && response.asOfMs < latest.asOfMs) return;
    this.#latest = response;
    this.#isStale = false;
    if (response.etag === latest.etag) return;
    const last = this.#event;
    this.#event = this.#operation.eventOf(response);
    if (this.#event.shown === last.shown) return;
    for (const listener of this.listeners) listener.onEvent(this.#event);
    this.#options.onPublished(performance.now() - changedMs);
  }
}
