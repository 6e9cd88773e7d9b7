import type { ExecutionResult } from 'graphql';

/** What equal subscriptions listen to. */
export interface Topic {
  /** The event that a listener begins with. */
  readonly first: () => LiveEvent;
  readonly leave: (listener: EventSequence) => void;
}

export interface LiveEvent {
  /** The same object for all listeners that are given the same. */
  readonly result: ExecutionResult;
  /** What it shows, where one that shows the same as the last one is none. */
  readonly shown?: string;
}

/** Why a stream ended: its client went, or did not read and was cut; its token is no longer valid; the operation failed; or this process ends. */
export type EndReason = 'client' | 'slow' | 'token' | 'failure' | 'shutdown';

/** The functions that all sequences share. */
export interface SequenceObserver {
  readonly toErrors: (error: unknown) => NonNullable<ExecutionResult['errors']>;
  readonly onEvent: () => void;
  /** Is called once. */
  readonly onEnd: (sequence: EventSequence, reason: EndReason) => void;
}

type Step = IteratorResult<ExecutionResult, undefined>;

const DONE: Step = { done: true, value: undefined };

/** The events of one listener. One that reads slowly gets the latest of those that came meanwhile, and none that shows what it has read last. */
export class EventSequence implements AsyncIterableIterator<ExecutionResult, undefined> {
  readonly #observer: SequenceObserver;
  #topic: Topic | undefined;
  #unread: LiveEvent | undefined;
  /** What distinguishes the last event that was read: its entity tag, or its text. */
  #shown: string | undefined;
  #reader: ((step: Step) => void) | undefined;
  #isEnded = false;

  constructor(observer: SequenceObserver) {
    this.#observer = observer;
  }

  listenTo(topic: Topic): void {
    this.#topic = topic;
    this.onEvent(topic.first());
  }

  /** Whether it has read all that it was given. */
  get isWaiting(): boolean {
    return this.#reader !== undefined && !this.#isEnded;
  }

  onEvent(event: LiveEvent): void {
    this.#observer.onEvent();
    this.#give(event);
  }

  /** There are no more events. Idempotent. @param error the last event */
  end(reason: EndReason, error?: unknown): void {
    if (this.#isEnded) return;
    if (error !== undefined) this.#give({ result: { errors: this.#observer.toErrors(error) } });
    this.#isEnded = true;
    this.#topic?.leave(this);
    this.#observer.onEnd(this, reason);
    this.#reader?.(DONE);
  }

  next(): Promise<Step> {
    const event = this.#unread;
    this.#unread = undefined;
    if (event) return Promise.resolve(this.#stepOf(event));
    if (this.#isEnded) return Promise.resolve(DONE);
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  return(): Promise<Step> {
    this.#unread = undefined;
    this.end('client');
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #give(event: LiveEvent): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) reader(this.#stepOf(event));
    // What has changed and changed back is no event.
    else this.#unread = event.shown !== undefined && event.shown === this.#shown ? undefined : event;
  }

  #stepOf({ result, shown }: LiveEvent): Step {
    this.#shown = shown;
    return { done: false, value: result };
  }
}
