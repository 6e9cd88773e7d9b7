import type { ExecutionResult, GraphQLError } from 'graphql';
import { apart } from '../../apart.ts';
import type { BodySink } from '../../http/message.ts';
import { textOfResult, WrittenResult } from '../body-form.ts';
import { withExtensions } from '../failures.ts';

/**
 * A proxy gives up a connection that is silent for longer. Each second one group of streams gets a comment, because comments for all at once
 * would delay events by a tenth of a second.
 */
const COMMENT_MS = 12_000;
const COMMENT_GROUPS = 12;

const COMMENT = Buffer.from(':\n\n');
const COMPLETE = 'event: complete\ndata:\n\n';
const LAST = Buffer.from(COMPLETE);

/**
 * Results as server-sent events: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode
 * Yoga's own writer makes a stream, a timer and two buffers for each listener and event: with it a listener took 27 kB, and an event for
 * 2,000 of them 94 ms of CPU.
 */
export class EventStreams {
  readonly #written = new WeakMap<ExecutionResult, Uint8Array>();
  readonly #bodies = new WeakMap<Response, AsyncIterator<Uint8Array> | undefined>();
  /** The open streams, each with the number of its group. */
  readonly #sinks = new Map<BodySink, number>();
  #joined = 0;
  #commented = 0;
  #commenting: NodeJS.Timeout | undefined;

  /** Writes one result, and the end. */
  textOf(result: ExecutionResult): string {
    return eventOf(result) + COMPLETE;
  }

  /** Writes many results, as they come, and the end. Equal results of several streams are the same bytes. */
  async *bytesOf(results: AsyncIterable<ExecutionResult>): AsyncGenerator<Uint8Array, undefined> {
    for await (const result of results) yield this.#toBytes(result);
    yield LAST;
  }

  /** Notes what is sent as the body of a response: undefined for its own text. */
  note(response: Response, bytes: AsyncIterator<Uint8Array> | undefined): Response {
    this.#bodies.set(response, bytes);
    return response;
  }

  /** The bytes that are sent as the body of a response, as they come. Nobody has begun to read a response that a plugin has put in place of ours. */
  bodyOf(response: Response): AsyncIterator<Uint8Array> | undefined {
    return this.#bodies.has(response) ? this.#bodies.get(response) : response.body?.values();
  }

  /**
   * Sends bytes as they come, and comments between them.
   * @param onEnd is called once. @param isSlow whether the client is cut because it does not read
   * @returns what is called when the client has gone
   */
  send(bytes: AsyncIterator<Uint8Array>, sink: BodySink, onEnd: (isSlow: boolean) => void): () => void {
    const sending = new Sending(bytes, sink, (isSlow) => {
      this.#endComments(sink);
      onEnd(isSlow);
    });
    this.#beginComments(sink);
    // Some browsers take no notice of a response before something of its body has come.
    sink.write(COMMENT);
    void sending.copy();
    return () => sending.end(false);
  }

  #toBytes(result: ExecutionResult): Uint8Array {
    if (!(result instanceof WrittenResult)) return Buffer.from(eventOf(result));
    let bytes = this.#written.get(result);
    if (!bytes) {
      bytes = Buffer.from(eventOf(result));
      this.#written.set(result, bytes);
    }
    return bytes;
  }

  #beginComments(sink: BodySink): void {
    this.#joined += 1;
    this.#sinks.set(sink, this.#joined % COMMENT_GROUPS);
    this.#commenting ??= apart(() => setInterval(() => this.#comment(), COMMENT_MS / COMMENT_GROUPS));
  }

  #endComments(sink: BodySink): void {
    this.#sinks.delete(sink);
    if (this.#sinks.size > 0) return;
    clearInterval(this.#commenting);
    this.#commenting = undefined;
  }

  #comment(): void {
    this.#commented += 1;
    const turn = this.#commented % COMMENT_GROUPS;
    // Where something is under way the connection is not silent, and a client that reads a large event is not cut for a comment.
    for (const [sink, group] of this.#sinks) if (group === turn && !sink.hasUnread()) sink.write(COMMENT);
  }
}

/** One stream on its way to its client. Once it is over, nothing more is given to the sink. */
class Sending {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #sink: BodySink;
  readonly #onEnd: (isSlow: boolean) => void;
  #isOver = false;

  constructor(bytes: AsyncIterator<Uint8Array>, sink: BodySink, onEnd: (isSlow: boolean) => void) {
    this.#bytes = bytes;
    this.#sink = sink;
    this.#onEnd = onEnd;
  }

  async copy(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#bytes.next();
        if (this.#isOver) return;
        if (done) break;
        if (!this.#sink.write(value)) return this.end(true);
      }
    } catch {
      // A plugin has failed: the stream ends.
    }
    if (!this.#isOver) this.#sink.end();
    this.end(false);
  }

  /** Idempotent. */
  end(isSlow: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(isSlow);
    void this.#giveUp();
  }

  async #giveUp(): Promise<void> {
    try {
      await this.#bytes.return?.();
    } catch {
      // A plugin that fails when a stream ends harms nobody else.
    }
  }
}

const eventOf = (result: ExecutionResult): string => `event: next\ndata: ${textOfResult(withoutStatus(result))}\n\n`;

/** Clients do not see what errors say of an HTTP response. */
const withoutHttp = (error: GraphQLError): GraphQLError => {
  const { http: _, ...extensions } = error.extensions ?? {};
  return withExtensions(error, extensions, error.message);
};

const withoutStatus = (result: ExecutionResult): ExecutionResult =>
  result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result;
