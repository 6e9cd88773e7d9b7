import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { BodySink } from '../../http/message.ts';
import { textOfResult, WrittenResult } from '../body-form.ts';
import { withExtensions } from '../mask-error.ts';

export type EventStreams = ReturnType<typeof createEventStreams>;

/** A proxy gives up a connection that is silent for longer. Each second one group of streams gets a comment, because for all at once events would wait a tenth of a second. */
const COMMENT_MS = 12_000;
const COMMENT_GROUPS = 12;

const COMMENT = Buffer.from(':\n\n');
const COMPLETE = 'event: complete\ndata:\n\n';
const LAST = Buffer.from(COMPLETE);
const NOTHING = new Uint8Array();

/**
 * Results as server-sent events: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode
 * Yoga's own writer makes a stream, a timer and two buffers for each listener and event: with it a listener took 27 kB, and an event for 2,000 of them 94 ms of CPU.
 */
export const createEventStreams = () => {
  const written = new WeakMap<ExecutionResult, Uint8Array>();
  const bodies = new WeakMap<Response, EventBytes | undefined>();
  /** Each with the number of its group. */
  const sinks = new Map<BodySink, number>();
  let joined = 0;
  let commented = 0;
  const apart = AsyncLocalStorage.snapshot();
  let commenting: NodeJS.Timeout | undefined;

  const toBytes = (result: ExecutionResult): Uint8Array => {
    if (!(result instanceof WrittenResult)) return Buffer.from(eventOf(result));
    let bytes = written.get(result);
    if (!bytes) {
      bytes = Buffer.from(eventOf(result));
      written.set(result, bytes);
    }
    return bytes;
  };

  const comment = (): void => {
    commented += 1;
    // Where something is under way the connection is not silent, and a client that reads a large event is not cut for a comment.
    for (const [sink, group] of sinks)
      if (group === commented % COMMENT_GROUPS && !sink.hasUnread()) sink.write(COMMENT);
  };

  /** @returns what ends it */
  const beginComments = (sink: BodySink): (() => void) => {
    joined += 1;
    sinks.set(sink, joined % COMMENT_GROUPS);
    commenting ??= apart(() => setInterval(comment, COMMENT_MS / COMMENT_GROUPS));
    return () => {
      sinks.delete(sink);
      if (sinks.size > 0) return;
      clearInterval(commenting);
      commenting = undefined;
    };
  };

  return {
    /** Of one result, and the end. */
    textOf: (result: ExecutionResult): string => eventOf(result) + COMPLETE,
    /** Of many, as they come. Equal results of several streams are the same bytes. */
    bytesOf: (results: AsyncIterable<ExecutionResult>): EventBytes => {
      const iterator = results[Symbol.asyncIterator]();
      let isOver = false;
      return {
        next: async () => {
          if (isOver) return OVER;
          const { done, value } = await iterator.next();
          if (!done) return { done: false, value: toBytes(value) };
          isOver = true;
          return { done: false, value: LAST };
        },
        // At once: that of a generator would wait for the next result.
        return: async () => {
          isOver = true;
          await iterator.return?.();
          return OVER;
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    /** Notes what is sent as the body of a response: undefined for its own text. */
    note: (response: Response, bytes: EventBytes | undefined): Response => {
      bodies.set(response, bytes);
      return response;
    },
    /** What is sent as the body of a response as it comes: of one that a plugin has put in the place of ours, nobody has begun to read it. */
    bodyOf: (response: Response): AsyncIterator<Uint8Array> | undefined =>
      bodies.has(response) ? bodies.get(response) : response.body?.values(),
    /**
     * Sends bytes as they come, and comments between them.
     * @param onEnd is called once. @param isSlow whether the client is cut because it does not read
     * @returns what is called when the client has gone
     */
    send: (bytes: AsyncIterator<Uint8Array>, sink: BodySink, onEnd: (isSlow: boolean) => void): (() => void) => {
      const endComments = beginComments(sink);
      let isOver = false;
      const end = (isSlow: boolean): void => {
        if (isOver) return;
        isOver = true;
        endComments();
        onEnd(isSlow);
        // A plugin that fails when a stream ends harms nobody else.
        bytes.return?.().catch(() => {});
      };
      const copy = async (): Promise<void> => {
        for (;;) {
          const { done, value } = await bytes.next();
          if (done) return sink.end(NOTHING);
          if (!sink.write(value)) return end(true);
        }
      };
      // Some browsers take no notice of a response before something of its body has come.
      sink.write(COMMENT);
      copy()
        .catch(() => sink.end(NOTHING))
        .finally(() => end(false));
      return () => end(false);
    },
  };
};

type EventBytes = AsyncIterableIterator<Uint8Array, undefined>;

const OVER: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

const eventOf = (result: ExecutionResult): string => `event: next\ndata: ${textOfResult(withoutStatus(result))}\n\n`;

/** What errors say of an HTTP response is not for clients. */
const withoutHttp = (error: GraphQLError): GraphQLError => {
  const { http: _, ...extensions } = error.extensions;
  return withExtensions(error, extensions, error.message);
};

const withoutStatus = (result: ExecutionResult): ExecutionResult =>
  result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result;
