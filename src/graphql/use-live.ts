import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { bytesOf } from '../cache/cached-response.ts';
import type { CacheOutcome, Found } from '../cache/response-cache.ts';
import { AppError, Overloaded } from '../errors.ts';
import type { Call } from '../http/route.ts';
import { Distribution } from '../observability/counts.ts';
import type { Changes } from './context.ts';
import type { Asked, Execution } from './execution.ts';
import { ExecutionFailed } from './failures.ts';
import { CHANGES_FIELD, createChangeTopics } from './live/changes.ts';
import { type ChangeSource, createTopics, type LiveOperation, type Topic, type TopicListener } from './live/topics.ts';
import type { Caller, GatewayPlugin, ServerContext } from './server-context.ts';

/** Why a stream ended: its client went, or was cut because it did not read; its token is no longer valid; the operation failed; or this process ends. */
export type EndReason = 'client' | 'slow' | 'token' | 'failure' | 'shutdown';

export interface SubscriptionCounts {
  open: number;
  events: number;
  readonly ended: Record<EndReason, number>;
  /** Seconds from a change, as it is notified or planned, to the event for the last listener. */
  readonly lagSeconds: Distribution;
}

export type Live = ReturnType<typeof createLive>;

interface Deps {
  readonly execution: Execution;
  /** What a request asks for, within the limits. @throws AppError, GraphQLError */
  readonly ask: (args: ExecutionArgs) => Asked;
  readonly source: ChangeSource;
  readonly maxSubscriptions: number;
  /** Whether a token may lose its validity. */
  readonly isRestricted: boolean;
  readonly log: Logger;
}

/** A subscription that has been executed once. */
interface Beginning {
  readonly outcome: CacheOutcome;
  readonly join: (listener: TopicListener) => Topic;
}

const LAG_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5];

/** How often all streams are looked after, and after how many times their tokens are verified again. */
const TICK_MS = 100;
const TICKS_PER_VERIFICATION = 10;

/** Subscriptions: each listens to a topic, of which there is one for all equal operations. */
export const createLive = (deps: Deps) => {
  const { execution, ask, source, maxSubscriptions, isRestricted, log } = deps;
  const counts: SubscriptionCounts = {
    open: 0,
    events: 0,
    ended: { client: 0, slow: 0, token: 0, failure: 0, shutdown: 0 },
    lagSeconds: new Distribution(LAG_BOUNDS),
  };
  const topics = createTopics({ ...source, onPublished: (lagMs) => counts.lagSeconds.add(lagMs / 1000) });
  const changeTopics = createChangeTopics(source);
  const streams = new Set<EventSequence>();
  const opened = new WeakMap<Call, EventSequence>();
  let isOver = false;
  let ticking: NodeJS.Timeout | undefined;
  let ticks = 0;
  const apart = AsyncLocalStorage.snapshot();

  /** Executes for all listeners: each of them was admitted, and the limits are those of the operation. */
  const anybody: Caller = { admit: () => undefined, countViews: false, log: () => log };

  const verifyAll = (): void => {
    for (const stream of streams) {
      // Where a token cannot be verified at the moment, the stream goes on.
      stream.verify()?.catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'UNAUTHENTICATED') stream.end('token', error);
      });
    }
  };

  const tick = (): void => {
    if (streams.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
      return;
    }
    // While nobody sends a request, only this asks for heartbeats, which find a dead connection and a table that was replaced.
    void source.freshnessMonitor.freshen();
    topics.look();
    changeTopics.look();
    ticks += 1;
    if (isRestricted && ticks % TICKS_PER_VERIFICATION === 0) verifyAll();
  };

  const refuseExcess = (): void => {
    if (counts.open >= maxSubscriptions) throw new Overloaded('There are too many subscriptions. Try again shortly.');
  };

  /** Begins to listen to the present state. */
  const beginState = async (asked: Asked, call: Call): Promise<Beginning> => {
    const { operation, form } = asked;
    const found: Found = await execution.respond(asked, call);
    const live: LiveOperation = {
      run: async () => execution.respond(asked, anybody),
      toEvent: (answer) => execution.resultOf(answer, form),
      toComparable: ({ body, etag }) => operation.withoutSilentFields?.(bytesOf(body).toString()) ?? etag,
    };
    return { outcome: found.outcome, join: (listener) => topics.join(live, found, listener) };
  };

  /** Begins to listen to what changes from now on. */
  const beginChanges = async (asked: Asked): Promise<Beginning> => {
    const run = async (changes: Changes): Promise<ExecutionResult> =>
      execution.resultOf((await execution.respond(asked, anybody, changes)).answer, asked.form);
    return { outcome: 'miss', join: await changeTopics.begin(execution.topicOf(asked), run) };
  };

  const subscribe = async (asked: Asked, call: Call): Promise<AsyncIterable<ExecutionResult>> => {
    const { rootFields } = asked.operation;
    refuseExcess();
    const { outcome, join } = await (rootFields.has(CHANGES_FIELD) ? beginChanges(asked) : beginState(asked, call));
    refuseExcess();
    const verify = isRestricted ? () => call.admit(rootFields) : NO_TOKEN;
    const stream = new EventSequence({ outcome, verify, streams, counts });
    opened.set(call, stream);
    ticking ??= apart(() => setInterval(tick, TICK_MS));
    stream.listenTo(join(stream));
    if (isOver) stream.end('shutdown');
    return stream;
  };

  const plugin: GatewayPlugin = {
    onSubscribe: ({ args, setSubscribeFn }) => {
      ask(args);
      setSubscribeFn(async (given) => {
        // A plugin behind this one may have put another document in its place.
        const asked = ask(given);
        const { call } = given.contextValue as ServerContext;
        if (!isLive(call)) return execution.once(asked);
        try {
          return await subscribe(asked, call);
        } catch (error) {
          if (error instanceof ExecutionFailed) return { errors: error.errors };
          throw error;
        }
      });
    },
  };

  return {
    counts,
    plugin,
    /** The events that were opened for a request: whoever does not send them has to end them. */
    streamOf: (call: Call): EventSequence | undefined => opened.get(call),
    /** Completes all streams. From now on a subscription gets its first event and the end, so that its client looks for another instance. */
    complete: (): void => {
      isOver = true;
      for (const stream of streams) stream.end('shutdown');
    },
    close: (): void => {
      clearInterval(ticking);
      topics.close();
      changeTopics.close();
    },
  };
};

/** A preview shows one moment, which does not change. */
const isLive = ({ request: { method }, previewAt }: Call): boolean => method !== 'HEAD' && previewAt === undefined;

/** One function for all streams: one made for each would keep its request in memory as long as the stream lives. */
const NO_TOKEN = (): undefined => undefined;

interface SequenceOptions {
  /** Where the first event comes from. */
  readonly outcome: CacheOutcome;
  /** Verifies the token of the client again. */
  readonly verify: () => Promise<void> | undefined;
  /** Those that are open. */
  readonly streams: Set<EventSequence>;
  readonly counts: SubscriptionCounts;
}

type Step = IteratorResult<ExecutionResult, undefined>;

/** The events of one listener. One that reads slowly gets the latest of those that came meanwhile. */
class EventSequence implements TopicListener, AsyncIterableIterator<ExecutionResult, undefined> {
  readonly outcome: CacheOutcome;
  readonly verify: () => Promise<void> | undefined;
  readonly #streams: Set<EventSequence>;
  readonly #counts: SubscriptionCounts;
  #topic: Topic | undefined;
  #next: ExecutionResult | undefined;
  #reader: ((step: Step) => void) | undefined;
  #isEnded = false;

  constructor({ outcome, verify, streams, counts }: SequenceOptions) {
    this.outcome = outcome;
    this.verify = verify;
    this.#streams = streams.add(this);
    this.#counts = counts;
    counts.open += 1;
  }

  listenTo(topic: Topic): void {
    this.#topic = topic;
    this.onEvent(topic.event());
  }

  onEvent(event: ExecutionResult): void {
    this.#counts.events += 1;
    this.#give(event);
  }

  onFailure(error: unknown): void {
    this.end('failure', error);
  }

  /** @param error the last event */
  end(reason: EndReason, error?: unknown): void {
    if (this.#isEnded) return;
    if (error !== undefined) this.#give({ errors: error instanceof ExecutionFailed ? error.errors : [error as never] });
    this.#isEnded = true;
    this.#topic?.leave(this);
    this.#streams.delete(this);
    this.#counts.open -= 1;
    this.#counts.ended[reason] += 1;
    this.#reader?.(DONE);
  }

  #give(event: ExecutionResult): void {
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) reader({ done: false, value: event });
    else this.#next = event;
  }

  next(): Promise<Step> {
    const value = this.#next;
    this.#next = undefined;
    if (value) return Promise.resolve({ done: false, value });
    if (this.#isEnded) return Promise.resolve(DONE);
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  return(): Promise<Step> {
    this.leave('client');
    return Promise.resolve(DONE);
  }

  /** Nobody reads what is left. */
  leave(reason: EndReason): void {
    this.#next = undefined;
    this.end(reason);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const DONE: Step = { done: true, value: undefined };
