import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { apart } from '../apart.ts';
import { bytesOf, type CachedResponse } from '../cache/cached-response.ts';
import type { CacheOutcome } from '../cache/response-cache.ts';
import { AppError, Overloaded } from '../errors.ts';
import type { BodySink } from '../http/message.ts';
import type { Call } from '../http/route.ts';
import { Distribution } from '../observability/counts.ts';
import type { Execution, OperationRequest } from './execution.ts';
import { ExecutionFailed } from './failures.ts';
import { CHANGES_FIELD, ChangeFeed } from './live/change-feed.ts';
import { type EndReason, EventSequence, type SequenceObserver, type Topic } from './live/event-sequence.ts';
import { EventStreams } from './live/event-stream.ts';
import { type ChangeSource, type LiveOperation, Topics } from './live/topics.ts';
import type { Caller, GatewayPlugin, ServerContext } from './server-context.ts';

interface Deps {
  readonly execution: Execution;
  readonly source: ChangeSource;
  readonly maxSubscriptions: number;
  /** Whether a token may lose its validity. */
  readonly isRestricted: boolean;
  readonly log: Logger;
}

/** A subscription that has been executed once. */
interface Beginning {
  readonly outcome: CacheOutcome;
  readonly join: (listener: EventSequence) => Topic;
}

interface OpenedStream {
  readonly events: Pick<EventSequence, 'end'>;
  /** Where the first of them comes from. */
  readonly outcome: CacheOutcome;
}

const LAG_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5];

/** How often the topics of all streams are looked after. */
const TICK_MS = 20;
const TICKS_PER_HEARTBEAT = 100 / TICK_MS;

/** How often their tokens are verified again. */
const TICKS_PER_VERIFICATION = 1000 / TICK_MS;

/** For whom an operation is executed that all listen to: each was admitted, and the limits are those of the operation. */
const ANYBODY: Caller = { takesLate: false };

/** Subscriptions: each listens to a topic, of which there is one for all equal operations. */
export class Live {
  readonly counts = {
    open: (): number => this.#streams.size,
    events: 0,
    ended: { client: 0, slow: 0, token: 0, failure: 0, shutdown: 0 } satisfies Record<EndReason, number>,
    /** Seconds from a change, as it is notified or planned, to the event for the last listener. */
    lagSeconds: new Distribution(LAG_BOUNDS),
  };
  readonly #deps: Deps;
  readonly #topics: Topics;
  readonly #changeFeed: ChangeFeed;
  readonly #eventStreams = new EventStreams();
  /** Each takes a place until it ends, and verifies the token of its caller again. */
  readonly #streams = new Map<EventSequence, () => Promise<void> | undefined>();
  readonly #opened = new WeakMap<Call, OpenedStream>();
  #isOver = false;
  #ticking: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(deps: Deps) {
    const { source } = deps;
    this.#deps = deps;
    this.#topics = new Topics({ ...source, onPublished: (lagMs) => this.counts.lagSeconds.add(lagMs / 1000) });
    this.#changeFeed = new ChangeFeed(source);
  }

  readonly plugin: GatewayPlugin = {
    onSubscribe: ({ args, setSubscribeFn }) => {
      const { execution } = this.#deps;
      const read = execution.requestReaderOf(args);
      setSubscribeFn(async (given) => {
        const request = read(given);
        const { call } = given.contextValue as ServerContext;
        if (!isLive(call)) return execution.once(request);
        try {
          return await this.#subscribe(request, call);
        } catch (error) {
          if (error instanceof ExecutionFailed) return { errors: error.errors };
          throw error;
        }
      });
    },
  };

  /** Completes all streams. From now on a subscription gets its first event and the end, so that its client looks for another instance. */
  complete(): void {
    this.#isOver = true;
    for (const stream of this.#streams.keys()) stream.end('shutdown');
  }

  close(): void {
    clearInterval(this.#ticking);
    this.#topics.close();
    this.#changeFeed.close();
  }

  /** The events that were opened for a request: where nobody reads them they have to be ended. */
  streamOf(call: Call): OpenedStream | undefined {
    return this.#opened.get(call);
  }

  /** Sends what was opened, as it comes. @returns what is called when the client has gone */
  send({ events }: OpenedStream, bytes: AsyncIterator<Uint8Array>, sink: BodySink): () => void {
    return this.#eventStreams.send(bytes, sink, (reason, error) => {
      if (reason === 'failure') this.#deps.log.error({ err: error }, 'a plugin broke a stream of events');
      events.end(reason);
    });
  }

  async #subscribe(request: OperationRequest, call: Call): Promise<AsyncIterable<ExecutionResult>> {
    const { rootFields } = request.operation;
    this.#refuseExcess();
    const { outcome, join } = await (rootFields.has(CHANGES_FIELD)
      ? this.#beginChanges(request)
      : this.#beginState(request, call));
    this.#refuseExcess();
    this.#opened.get(call)?.events.end('client');
    const events = new EventSequence(this.#observer);
    this.#streams.set(events, this.#deps.isRestricted ? () => call.admit(rootFields) : NO_TOKEN);
    this.#ticking ??= apart(() => setInterval(() => this.#tick(), TICK_MS));
    this.#opened.set(call, { events, outcome });
    events.listenTo(join(events));
    if (this.#isOver) events.end('shutdown');
    return events;
  }

  #refuseExcess(): void {
    if (this.#streams.size >= this.#deps.maxSubscriptions)
      throw new Overloaded('There are too many subscriptions. Try again shortly.');
  }

  readonly #observer: SequenceObserver = {
    toErrors: (error) => (error instanceof ExecutionFailed ? error.errors : [error as GraphQLError]),
    onEvent: () => {
      this.counts.events += 1;
    },
    onEnd: (stream, reason) => {
      this.#streams.delete(stream);
      this.counts.ended[reason] += 1;
    },
  };

  /** Begins to listen to the present state. */
  async #beginState(request: OperationRequest, call: Call): Promise<Beginning> {
    const { execution } = this.#deps;
    const found = await execution.respond(request, call);
    const live: LiveOperation = {
      run: () => execution.respond(request, ANYBODY),
      eventOf: (response) => {
        const result = resultOf(response, request);
        // What changes silently alone makes no event.
        return { result, shown: request.operation.textOfEvent?.(result) ?? response.etag };
      },
    };
    return { outcome: found.outcome, join: (listener) => this.#topics.join(live, found, listener) };
  }

  /** Begins to listen to what changes from now on. */
  async #beginChanges(request: OperationRequest): Promise<Beginning> {
    const { execution } = this.#deps;
    const join = await this.#changeFeed.begin({
      key: execution.keyOf(request),
      run: async (changes) => resultOf((await execution.respond(request, ANYBODY, changes)).response, request),
    });
    return { outcome: 'miss', join };
  }

  #tick(): void {
    if (this.#streams.size === 0) {
      clearInterval(this.#ticking);
      this.#ticking = undefined;
      return;
    }
    this.#ticks += 1;
    this.#topics.look();
    this.#changeFeed.look();
    // While nobody sends a request, only this asks for heartbeats, which find a dead connection and a table that was replaced.
    if (this.#ticks % TICKS_PER_HEARTBEAT === 0) void this.#deps.source.freshnessMonitor.freshen();
    if (this.#deps.isRestricted && this.#ticks % TICKS_PER_VERIFICATION === 0) this.#verifyAll();
  }

  #verifyAll(): void {
    for (const [stream, verify] of this.#streams) {
      // Where a token cannot be verified at the moment, the stream goes on.
      verify()?.catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'UNAUTHENTICATED') stream.end('token', error);
      });
    }
  }
}

const resultOf = ({ body, status }: CachedResponse, { form }: OperationRequest): ExecutionResult =>
  form.toResult(bytesOf(body).toString(), status);

/** A preview shows one moment, which does not change. */
const isLive = ({ request: { method }, previewAt }: Call): boolean => method !== 'HEAD' && previewAt === undefined;

/** One function for all streams: one made for each would keep its request in memory as long as the stream lives. */
const NO_TOKEN = (): undefined => undefined;
