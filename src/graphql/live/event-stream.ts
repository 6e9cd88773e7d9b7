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

/** A stream on its way to its client. */
interface Stream {
  readonly bytes: AsyncIterator<Uint8Array>;
  readonly sink: BodySink;
  readonly onEnd: (isSlow: boolean) => void;
  /** Which of those that get their comments together. */
  readonly group: number;
}

/**
 * Results as server-sent events: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode
 * Yoga's own writer makes a stream, a timer and two buffers for each listener and event: with it a listener took 27 kB, and an event for
 * 2,000 of them 94 ms of CPU.
 */
export class EventStreams {
  readonly #written = new WeakMap<ExecutionResult, Uint8Array>();
  readonly #bodies = new WeakMap<Response, AsyncIterator<Uint8Array> | undefined>();
  readonly #open = new Set<Stream>();
  #begun = 0;
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
    this.#begun += 1;
    const stream: Stream = { bytes, sink, onEnd, group: this.#begun % COMMENT_GROUPS };
    this.#open.add(stream);
    this.#commenting ??= apart(() => setInterval(() => this.#comment(), COMMENT_MS / COMMENT_GROUPS));
    // Some browsers take no notice of a response before something of its body has come.
    sink.write(COMMENT);
    void this.#copy(stream);
    return () => this.#end(stream, false);
  }

  /** Once a stream is over, nothing more is given to its sink. */
  async #copy(stream: Stream): Promise<void> {
    const { bytes, sink } = stream;
    try {
      for (;;) {
        const { done, value } = await bytes.next();
        if (!this.#open.has(stream)) return;
        if (done) break;
        if (!sink.write(value)) return this.#end(stream, true);
      }
    } catch {
      // A plugin has failed: the stream ends.
    }
    if (this.#open.has(stream)) sink.end();
    this.#end(stream, false);
  }

  /** Idempotent. */
  #end(stream: Stream, isSlow: boolean): void {
    if (!this.#open.delete(stream)) return;
    if (this.#open.size === 0) {
      clearInterval(this.#commenting);
      this.#commenting = undefined;
    }
    stream.onEnd(isSlow);
    // A plugin that fails when a stream ends harms nobody else.
    void (async () => stream.bytes.return?.())().catch(() => {});
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

  #comment(): void {
    this.#commented += 1;
    const turn = this.#commented % COMMENT_GROUPS;
    // Where something is under way the connection is not silent, and a client that reads a large event is not cut for a comment.
    for (const { sink, group } of this.#open) if (group === turn && !sink.hasUnread()) sink.write(COMMENT);
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
