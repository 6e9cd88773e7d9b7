import { apart } from '../../apart.ts';
import type { BodySink } from '../../http/message.ts';
import type { EndReason } from './event-sequence.ts';

/**
 * A proxy gives up a connection that is silent for longer. Each second one group of streams gets a comment, because comments for all at once
 * would delay events by a tenth of a second.
 */
const COMMENT_MS = 12_000;
const COMMENT_GROUPS = 12;

const COMMENT = Buffer.from(':\n\n');

type OnEnd = (reason: Extract<EndReason, 'client' | 'slow' | 'failure'>, error?: unknown) => void;

/** A stream on its way to its client. */
interface Stream {
  readonly bytes: AsyncIterator<Uint8Array>;
  readonly sink: BodySink;
  readonly onEnd: OnEnd;
  /** Which of those that get their comments together. */
  readonly group: number;
}

/**
 * Sends server-sent events to their clients. Yoga's own writer makes a stream, a timer and two buffers for each listener and event: with it
 * a listener took 27 kB, and an event for 2,000 of them 94 ms of CPU.
 */
export class EventStreams {
  readonly #open = new Set<Stream>();
  #begun = 0;
  #commented = 0;
  #commenting: NodeJS.Timeout | undefined;

  /**
   * Sends bytes as they come, and comments between them.
   * @param onEnd is called once, for a failure with its error
   * @returns what is called when the client has gone
   */
  send(bytes: AsyncIterator<Uint8Array>, sink: BodySink, onEnd: OnEnd): () => void {
    this.#begun += 1;
    const stream: Stream = { bytes, sink, onEnd, group: this.#begun % COMMENT_GROUPS };
    this.#open.add(stream);
    this.#commenting ??= apart(() => setInterval(() => this.#comment(), COMMENT_MS / COMMENT_GROUPS));
    // Some browsers take no notice of a response before something of its body has come.
    sink.write(COMMENT);
    void this.#copy(stream);
    return () => this.#end(stream, 'client');
  }

  /** Once a stream is over, nothing more is given to its sink. */
  async #copy(stream: Stream): Promise<void> {
    const { bytes, sink } = stream;
    try {
      for (;;) {
        const { done, value } = await bytes.next();
        if (!this.#open.has(stream)) return;
        if (done) break;
        if (!sink.write(value)) return this.#end(stream, 'slow');
      }
      sink.end();
      this.#end(stream, 'client');
    } catch (error) {
      // A plugin has failed.
      if (this.#open.has(stream)) sink.end();
      this.#end(stream, 'failure', error);
    }
  }

  /** Idempotent. */
  #end(stream: Stream, ...why: Parameters<OnEnd>): void {
    if (!this.#open.delete(stream)) return;
    if (this.#open.size === 0) {
      clearInterval(this.#commenting);
      this.#commenting = undefined;
    }
    stream.onEnd(...why);
    // A plugin that fails when a stream ends harms nobody else.
    void (async () => stream.bytes.return?.())().catch(() => {});
  }

  #comment(): void {
    this.#commented += 1;
    const turn = this.#commented % COMMENT_GROUPS;
    // Where something is under way the connection is not silent, and a client that reads a large event is not cut for a comment.
    for (const { sink, group } of this.#open) if (group === turn && !sink.hasUnread()) sink.write(COMMENT);
  }
}
