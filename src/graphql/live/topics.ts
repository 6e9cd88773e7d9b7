import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExecutionResult } from 'graphql';
import type { CachedResponse } from '../../cache/cached-response.ts';
import type { FreshnessMonitor } from '../../cache/freshness-monitor.ts';
import type { FailureKind, Found } from '../../cache/response-cache.ts';
import type { TagVersions } from '../../cache/tags.ts';
import type { Clock } from '../../database/clock.ts';
import { createSemaphore } from '../../overload/load-guard.ts';

/** What a live operation shows, for all who listen to it. */
export interface Topic {
  /** The last event, with the counts of views as they were when it was made. */
  readonly event: () => ExecutionResult;
  readonly listeners: ReadonlySet<TopicListener>;
  readonly leave: (listener: TopicListener) => void;
}

export interface TopicListener {
  /** The value has changed. @param event the same for all listeners */
  onEvent(event: ExecutionResult): void;
  /** The operation fails, and not because the database is away: there are no more events. */
  onFailure(error: unknown): void;
}

/** A live operation that can be executed again. */
export interface LiveOperation {
  /** Executes it, or finds its response in the cache. */
  readonly run: () => Promise<Found>;
  readonly toEvent: (response: CachedResponse) => ExecutionResult;
  /** What must differ for an event: the text without what changes silently. */
  readonly toComparable: (response: CachedResponse) => string;
}

/** How topics learn of changes. */
export interface ChangeSource {
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: FreshnessMonitor;
  readonly freshnessMs: number;
  readonly clock: Clock;
  readonly kindOf: (error: unknown) => FailureKind;
}

interface Options extends ChangeSource {
  /** All listeners of a topic have been given an event. @param lagMs since the change was notified, or was to happen */
  readonly onPublished: (lagMs: number) => void;
}

/** In a flood of changes a topic is executed once in this time, or in more where there are many topics: together they take a part of one core. */
export const MIN_INTERVAL_MS = 100;
const MIN_INTERVAL_PER_TOPIC_MS = 0.5;

/** After a failure that may pass. */
export const RETRY_MS = 500;

/** This long after a planned change, a heartbeat no longer takes that change for the next one. */
const AFTER_CHANGE_MS = 5;

const MAX_TIMER_MS = 3_600_000;

/** Executions at the same time: fewer than the load guard always accepts. */
const CONCURRENCY = 32;

interface State extends Topic {
  readonly key: string;
  readonly operation: LiveOperation;
  readonly listeners: Set<TopicListener>;
  latest: CachedResponse;
  latestEvent: ExecutionResult;
  shown: string;
  /** When the change that is not shown yet was notified, by `performance.now()`. */
  changedMs: number | undefined;
  isQueued: boolean;
  /** When it was last executed, by `performance.now()`. */
  executedMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The live operations of all listeners. Equal ones are executed once for each change, by way of the response cache. A change is one of a cache tag
 * that the last response depends on, or the time at which the response changes by itself.
 */
export const createTopics = (options: Options) => {
  const { tagVersions, freshnessMonitor, clock, kindOf, onPublished } = options;
  const topics = new Map<string, State>();
  const semaphore = createSemaphore(CONCURRENCY);
  let isLooking = false;
  /** Runs work outside of the request in which it happens to begin: its statements are not the request's. */
  const apart = AsyncLocalStorage.snapshot();

  const isOpen = (topic: State): boolean => topics.get(topic.key) === topic;

  const arm = (topic: State, delayMs: number, action: () => void): void => {
    clearTimeout(topic.timer);
    topic.timer = apart(() => setTimeout(action, Math.min(Math.max(0, delayMs), MAX_TIMER_MS)));
  };

  /** Executes the topic as soon as its turn comes. @param changedMs when it was due, by `performance.now()` */
  const renew = (topic: State, changedMs: number): void => {
    topic.changedMs ??= changedMs;
    if (topic.isQueued) return;
    const intervalMs = Math.max(MIN_INTERVAL_MS, topics.size * MIN_INTERVAL_PER_TOPIC_MS);
    const waitMs = topic.executedMs + intervalMs - performance.now();
    if (waitMs > 0) arm(topic, waitMs, () => enqueue(topic));
    else enqueue(topic);
  };

  const enqueue = (topic: State): void => {
    if (topic.isQueued || !isOpen(topic)) return;
    clearTimeout(topic.timer);
    topic.isQueued = true;
    void apart(executeInTurn, topic);
  };

  const executeInTurn = (topic: State): Promise<void> =>
    semaphore.during(async () => {
      if (isOpen(topic)) await execute(topic);
    });

  const execute = async (topic: State): Promise<void> => {
    const changedMs = topic.changedMs ?? performance.now();
    topic.changedMs = undefined;
    topic.executedMs = performance.now();
    let found: Found | undefined;
    try {
      await freshnessMonitor.plan();
      found = await topic.operation.run();
    } catch (error) {
      if (kindOf(error) === 'other') fail(topic, error);
    }
    topic.isQueued = false;
    if (!isOpen(topic)) return;
    if (found && found.outcome !== 'stale') take(topic, found.answer, changedMs);
    else arm(topic, RETRY_MS, () => renew(topic, changedMs));
  };

  /** Publishes a response if it shows something else, and sees to the next one. */
  const take = (topic: State, response: CachedResponse, changedMs: number): void => {
    // A listener that came meanwhile may have brought a newer one. One that shows a later change is newer, even if a row that was known makes it
    // seem older.
    const { latest } = topic;
    if (response.trueAt > latest.trueAt || response.asOfMs >= latest.asOfMs) {
      const isSame = response.etag === latest.etag;
      topic.latest = response;
      if (!isSame) show(topic, response, changedMs);
    }
    awaitChange(topic);
  };

  const show = (topic: State, response: CachedResponse, changedMs: number): void => {
    const { operation, listeners } = topic;
    topic.latestEvent = operation.toEvent(response);
    const comparable = operation.toComparable(response);
    if (comparable === topic.shown) return;
    topic.shown = comparable;
    for (const listener of listeners) listener.onEvent(topic.latestEvent);
    onPublished(performance.now() - changedMs);
  };

  /** Waits for the next change: one that is planned, or one that came while the response was made. */
  const awaitChange = (topic: State): void => {
    if (!isOpen(topic)) return;
    const { latest } = topic;
    if (topic.changedMs !== undefined || tagVersions.hasChanged(latest)) {
      renew(topic, performance.now());
      return;
    }
    const { changesMs } = latest;
    if (changesMs === undefined) clearTimeout(topic.timer);
    else arm(topic, changesMs + AFTER_CHANGE_MS - clock.nowMs(), () => onTime(topic));
  };

  const onTime = (topic: State): void => {
    const { changesMs = Number.POSITIVE_INFINITY } = topic.latest;
    const lateMs = clock.nowMs() - changesMs;
    if (lateMs < 0) awaitChange(topic);
    else renew(topic, performance.now() - lateMs);
  };

  const fail = (topic: State, error: unknown): void => {
    close(topic);
    for (const listener of topic.listeners) listener.onFailure(error);
  };

  const close = (topic: State): void => {
    clearTimeout(topic.timer);
    if (isOpen(topic)) topics.delete(topic.key);
  };

  // Notifications that arrive together are looked at together.
  const unwatch = tagVersions.watch(() => {
    if (isLooking || topics.size === 0) return;
    isLooking = true;
    const changedMs = performance.now();
    setImmediate(() => {
      isLooking = false;
      for (const topic of topics.values()) if (tagVersions.hasChanged(topic.latest)) renew(topic, changedMs);
    });
  });

  const open = (operation: LiveOperation, { answer, outcome }: Found): State => {
    const { key } = answer;
    const listeners = new Set<TopicListener>();
    const topic: State = {
      key,
      operation,
      listeners,
      latest: answer,
      latestEvent: operation.toEvent(answer),
      shown: operation.toComparable(answer),
      changedMs: undefined,
      isQueued: false,
      executedMs: Number.NEGATIVE_INFINITY,
      timer: undefined,
      event: () => topic.latestEvent,
      leave: (listener) => {
        listeners.delete(listener);
        if (listeners.size === 0) close(topic);
      },
    };
    topics.set(key, topic);
    if (outcome === 'stale') arm(topic, RETRY_MS, () => renew(topic, performance.now()));
    else awaitChange(topic);
    return topic;
  };

  return {
    /**
     * Joins those who listen to an equal operation.
     * @param found the response to this listener's own request
     */
    join: (operation: LiveOperation, found: Found, listener: TopicListener): Topic => {
      let topic = topics.get(found.answer.key);
      if (!topic) topic = open(operation, found);
      else if (found.outcome !== 'stale') take(topic, found.answer, performance.now());
      topic.listeners.add(listener);
      return topic;
    },
    /** To be called again and again: what is over where changes are not notified is executed again. */
    look: (): void => {
      const nowMs = performance.now();
      for (const topic of topics.values()) {
        const { trustedUntilMs } = topic.latest;
        if (trustedUntilMs !== undefined && nowMs >= trustedUntilMs) renew(topic, nowMs);
      }
    },
    close: (): void => {
      unwatch();
      for (const topic of topics.values()) close(topic);
    },
  };
};
