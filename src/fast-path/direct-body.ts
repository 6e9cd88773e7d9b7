import { IncomingMessage } from './node-http.ts';

/** Takes a body part by part, as the parser reads it. */
export interface BodyConsumer {
  readonly add: (chunk: Buffer) => void;
  readonly end: () => void;
  /** The request breaks off. */
  readonly fail: () => void;
}

/** What Node's own class does for a request without a body (lib/_http_incoming.js): its stream is over, and no event says so. */
interface InnerMessage {
  readonly _dumpAndCloseReadable?: () => void;
}

/** A request whose body the parser hands to its consumer, without the events of a stream and the turns of the event loop between them (docs/fast-path.md). */
export class DirectRequest extends IncomingMessage {
  #consumer: BodyConsumer | undefined = undefined;

  /** Whether the consumer gets the body; else it is to be read as a stream: a part of it is in the stream already, or Node has no such function any more. */
  giveBodyTo(consumer: BodyConsumer): boolean {
    const canGive = !this.complete && this.readableLength === 0 && '_dumpAndCloseReadable' in this;
    if (canGive) this.#consumer = consumer;
    return canGive;
  }

  /** From now on the rest of the body is the stream's. */
  takeBack(): void {
    this.#consumer = undefined;
  }

  /** Node's parser calls it with each part of a body, and with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const consumer = this.#consumer;
    if (!consumer) return super.push(chunk, encoding);
    if (chunk !== null) {
      consumer.add(chunk);
      return true;
    }
    this.#consumer = undefined;
    (this as InnerMessage)._dumpAndCloseReadable?.();
    consumer.end();
    return false;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const consumer = this.#consumer;
    this.#consumer = undefined;
    consumer?.fail();
    super._destroy(error, callback);
  }
}
