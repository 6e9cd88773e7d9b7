import type { ExecutionResult } from 'graphql';
import type { FreshnessMonitor } from '../../cache/freshness-monitor.ts';
import type { FailureKind } from '../../cache/response-cache.ts';
import type { TagVersions } from '../../cache/tags.ts';
import type { Clock } from '../../database/clock.ts';

/** What equal subscriptions listen to. */
export interface Topic {
  /** The event that a listener begins with. */
  readonly first: () => LiveEvent;
  readonly leave: (listener: TopicListener) => void;
  /** A listener has read what it was given, and waits for more. */
  readonly onWaiting?: (listener: TopicListener) => void;
}

export interface LiveEvent {
  /** The same object for all listeners that are given the same. */
  readonly result: ExecutionResult;
  /** What it shows, where one that shows the same as the last one is none. */
  readonly shown?: string;
}

export interface TopicListener {
  /** Whether it has read all that it was given. */
  readonly isWaiting: boolean;
  onEvent(event: LiveEvent): void;
  /** The operation fails, and not because the database is away: there are no more events. */
  onFailure(error: unknown): void;
}

/** How topics learn of changes. */
export interface ChangeSource {
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: FreshnessMonitor;
  readonly freshnessMs: number;
  readonly clock: Clock;
  readonly kindOf: (error: unknown) => FailureKind;
}

/** In a flood of changes a topic has an event once in this time. */
export const MIN_INTERVAL_MS = 100;

/** After a failure that may pass. */
export const RETRY_MS = 500;
