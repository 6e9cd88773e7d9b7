import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import { bytesOf } from '../../cache/cached-response.ts';
import type { Found } from '../../cache/response-cache.ts';
import { AppError, Overloaded } from '../../errors.ts';
import type { BodySink, GatewayResponse } from '../../http/message.ts';
import type { Call } from '../../http/route.ts';
import { Distribution } from '../../observability/counts.ts';
import type { LazyLog } from '../../observability/log.ts';
import type { Caller } from '../context.ts';
import { createMaskError, ExecutionFailed } from '../failures.ts';
import type { Operation } from '../operation.ts';
import type { BodyForm, Engine } from '../run-operation.ts';
import { COMMENT, COMPLETE_EVENT, eventStream, nextEvent } from './event-stream.ts';
import { createTopics, type LiveOperation, type Topic, type TopicListener, type TopicsOptions } from './topics.ts';

/** Why a stream ended: its client went, or was cut because it did not read; its token is no longer valid; the operation failed; or this process ends. */
export type EndReason = 'client' | 'slow' | 'token' | 'failure' | 'shutdown';

export interface SubscriptionCounts {
  /** Open streams. */
  open: number;
  /** Events that were given to streams. */
  events: number;
  readonly ended: Record<EndReason, number>;
  /** Seconds from a change, as it is notified or planned, to the event for the last listener. */
  readonly lagSeconds: Distribution;
}

export interface Subscriptions {
  /**
   * Answers a subscription by a stream of events. The first one comes at once.
   * @throws (in the promise) Overloaded where there are too many, and what the engine throws
   */
  readonly open: (subscription: Subscription, call: Call) => Promise<GatewayResponse>;
  readonly counts: SubscriptionCounts;
  /** Completes all streams. From now on a subscription gets its first event and the end, so that its client looks for another instance. */
  readonly complete: () => void;
  readonly close: () => void;
}

interface Subscription {
  readonly operation: Operation;
  readonly variables: Record<string, unknown>;
  readonly form: BodyForm;
}

interface Deps {
  readonly engine: Pick<Engine, 'run'>;
  readonly topics: Omit<TopicsOptions, 'onPublished'>;
  /** Of one process. */
  readonly maxSubscriptions: number;
  /** Whether a token may lose its validity. */
  readonly isRestricted: boolean;
  readonly log: Logger;
}

const LAG_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5];

const createCounts = (): SubscriptionCounts => ({
  open: 0,
  events: 0,
  ended: { client: 0, slow: 0, token: 0, failure: 0, shutdown: 0 },
  lagSeconds: new Distribution(LAG_BOUNDS),
});

/** How often tokens are verified again. */
const VERIFY_MS = 1000;

/** Every stream gets a comment each time tokens were verified so often: proxies end connections on which nothing comes for 30 seconds or less. */
const COMMENT_EVERY = 10;

/** One function for all streams: one made for each would keep its request in memory as long as the stream lives. */
const NO_TOKEN = (): undefined => undefined;

interface Stream extends TopicListener {
  readonly sink: BodySink;
  readonly verify: () => Promise<void> | undefined;
  readonly end: (reason: EndReason, lastEvents?: Buffer) => void;
}

/** The streams of subscriptions. */
export const createSubscriptions = (deps: Deps): Subscriptions => {
  const { engine, maxSubscriptions, isRestricted, log: processLog } = deps;
  const log: LazyLog = () => processLog;
  const counts = createCounts();
  const topics = createTopics({
    ...deps.topics,
    onPublished: (lagMs) => counts.lagSeconds.add(lagMs / 1000),
  });
  const streams = new Set<Stream>();
  let isOver = false;
  let ticking: NodeJS.Timeout | undefined;
  let ticks = 0;
  const apart = AsyncLocalStorage.snapshot();

  /** Executes for all listeners: each of them was admitted, and the limits are those of the operation. */
  const anybody: Caller = { admit: () => undefined, countViews: false, log, observe: (work) => work() };

  const tick = (): void => {
    ticks += 1;
    for (const stream of streams) {
      if (isRestricted) verify(stream);
      if (ticks % COMMENT_EVERY === 0 && !stream.sink.write(COMMENT)) stream.end('slow');
    }
  };

  const verify = (stream: Stream): void => {
    // Where a token cannot be verified at the moment, the stream goes on.
    stream.verify()?.catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED') stream.end('token', failureEvents(error, log));
    });
  };

  const openStream = (sink: BodySink, join: (listener: TopicListener) => Topic, verifyToken: Stream['verify']) => {
    let isEnded = false;
    /** @param lastEvents undefined where nobody reads any more */
    const end = (reason: EndReason, lastEvents?: Buffer): void => {
      if (isEnded) return;
      isEnded = true;
      counts.ended[reason] += 1;
      counts.open -= 1;
      streams.delete(stream);
      topic.leave(stream);
      if (lastEvents) sink.end(lastEvents);
      if (streams.size > 0) return;
      clearInterval(ticking);
      ticking = undefined;
    };
    const stream: Stream = {
      sink,
      verify: verifyToken,
      end,
      onEvent: (event) => {
        counts.events += 1;
        if (!sink.write(event)) end('slow');
      },
      onFailure: (error) => end('failure', failureEvents(error, log)),
    };
    streams.add(stream);
    ticking ??= apart(() => setInterval(tick, VERIFY_MS));
    const topic = join(stream);
    stream.onEvent(topic.event());
    if (isOver) end('shutdown', COMPLETE_EVENT);
    return () => end('client');
  };

  const refuseExcess = (): void => {
    if (counts.open >= maxSubscriptions) throw new Overloaded('There are too many subscriptions. Try again shortly.');
  };

  return {
    counts,
    open: async ({ operation, variables, form }, call) => {
      refuseExcess();
      const run = async (caller: Caller): Promise<Found> => {
        const executed = await engine.run(operation, variables, caller, form);
        if (executed.answer) return executed;
        throw new Error('A live operation has no response that equal requests share.');
      };
      const found = await run(call);
      refuseExcess();
      const { rootFields, withoutSilentFields } = operation;
      const live: LiveOperation = {
        run: () => run(anybody),
        toEvent: ({ body }) => nextEvent(bytesOf(body)),
        toComparable: ({ body, etag }) => withoutSilentFields?.(bytesOf(body).toString()) ?? etag,
      };
      const verify = isRestricted ? () => call.admit(rootFields) : NO_TOKEN;
      counts.open += 1;
      return eventStream(found.outcome, (sink) =>
        openStream(sink, (listener) => topics.join(live, found, listener), verify),
      );
    },
    complete: () => {
      isOver = true;
      for (const { end } of streams) end('shutdown', COMPLETE_EVENT);
    },
    close: () => {
      clearInterval(ticking);
      topics.close();
    },
  };
};

/** The last events of a subscription that fails. */
const failureEvents = (error: unknown, log: LazyLog): Buffer => {
  const masked = error instanceof ExecutionFailed ? error.errors : [createMaskError(log)(error)];
  const errors = masked.map(({ shown: { message, extensions } }) => ({
    message,
    extensions: { code: extensions.code },
  }));
  return Buffer.concat([nextEvent(Buffer.from(JSON.stringify({ errors }))), COMPLETE_EVENT]);
};
