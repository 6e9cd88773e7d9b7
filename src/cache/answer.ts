import { hash } from 'node:crypto';
import type { Table } from './pulse.ts';

/** The finished bytes of an answer, and how long they hold. */
export interface Answer {
  /** Its place in memory. */
  readonly key: string;
  readonly body: Buffer;
  /** Weak, because it stands for every content coding of the body. */
  readonly etag: string;
  /** The tables that it shows, each in the generation in which it was read. */
  readonly dependencies: readonly { readonly table: Table; readonly generation: number }[];
  /** When it stops being true by itself, in the database's milliseconds; infinite for never. */
  readonly validUntilMs: number;
  /** The body in content codings, made once it is asked for often enough. */
  readonly coded: { gzip?: Buffer; br?: Buffer };
}

/** A strong enough hash to tell answers apart; nobody gains by making two that collide. */
export const etagOf = (body: string | Uint8Array): string => `W/"${hash('sha1', body, 'base64url')}"`;
