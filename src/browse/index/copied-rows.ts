import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseClient } from '../../database/client.ts';
import { momentOf } from './exact-numbers.ts';
import { Slice } from './texts.ts';

/** A signature of 11 bytes, flags, and an extension that PostgreSQL does not have: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4 */
const HEADER_BYTES = 19;
const TRAILER = -1;
const NO_BYTES = Buffer.alloc(0);

/** From 1970 to 2000, where PostgreSQL's times begin, in microseconds. */
const EPOCH_US = 946_684_800_000_000;

/** A row in COPY's binary format, whose fields are read one after another. */
export class CopiedRow {
  #buffer: Buffer = NO_BYTES;
  #at = 0;

  /** Goes to the row that begins there. @returns where it ends; undefined where the rest of it is still to come */
  goTo(buffer: Buffer, begin: number): number | undefined {
    if (begin + 2 > buffer.length) return undefined;
    const fields = buffer.readInt16BE(begin);
    if (fields === TRAILER) return buffer.length;
    let at = begin + 2;
    for (let field = 0; field < fields; field += 1) {
      if (at + 4 > buffer.length) return undefined;
      at += 4 + Math.max(buffer.readInt32BE(at), 0);
    }
    if (at > buffer.length) return undefined;
    this.#buffer = buffer;
    this.#at = begin + 2;
    return at;
  }

  /** Null is 0 where the table does not allow it. */
  int(): number {
    return this.#next(4) ? this.#buffer.readInt32BE(this.#at - 4) : 0;
  }

  bool(): boolean {
    return this.#next(1) && this.#buffer[this.#at - 1] === 1;
  }

  /** NaN for null. */
  float(): number {
    return this.#next(8) ? this.#buffer.readDoubleBE(this.#at - 8) : Number.NaN;
  }

  /** As `momentOf` makes it of microseconds since 1970; NaN for null. */
  moment(): number {
    if (!this.#next(8)) return Number.NaN;
    // In this order no sum is rounded that ends as a safe integer.
    const number =
      this.#buffer.readInt32BE(this.#at - 8) * 2 ** 32 + EPOCH_US + this.#buffer.readUInt32BE(this.#at - 4);
    if (Number.isSafeInteger(number)) return number;
    return momentOf(String(this.#buffer.readBigInt64BE(this.#at - 8) + BigInt(EPOCH_US)));
  }

  /** Memory that the next rows take. */
  slice(): Slice | null {
    const begin = this.#at + 4;
    return this.#next() ? new Slice(this.#buffer, begin, this.#at) : null;
  }

  /** Null also for a list that has a null, or lists in it. */
  slices(): Slice[] | null {
    const begin = this.#at + 4;
    if (!this.#next()) return null;
    const dimensions = this.#buffer.readInt32BE(begin);
    if (dimensions === 0) return [];
    const length = this.#buffer.readInt32BE(begin + 12);
    if (dimensions > 1) return null;
    const slices = new Array<Slice>(length);
    for (let index = 0, at = begin + 20; index < length; index += 1) {
      const end = at + 4 + this.#buffer.readInt32BE(at);
      if (end < at + 4) return null;
      slices[index] = new Slice(this.#buffer, at + 4, end);
      at = end;
    }
    return slices;
  }

  /** Goes behind the next field. @returns false for null */
  #next(bytes?: number): boolean {
    const length = this.#buffer.readInt32BE(this.#at);
    this.#at += 4 + Math.max(length, 0);
    if (bytes !== undefined && length >= 0 && length !== bytes)
      throw new Error(`a field of ${bytes} bytes has ${length}`);
    return length >= 0;
  }
}

/** Reads what a query gives, without an object for each value. @param onRow is called with the same object for each row */
export const readCopied = async (
  client: DatabaseClient,
  query: string,
  onRow: (row: CopiedRow) => void,
): Promise<void> => {
  const row = new CopiedRow();
  // The same memory for all that comes.
  let memory: Buffer = NO_BYTES;
  let begin = HEADER_BYTES;
  let end = 0;
  for await (const chunk of client.query(
    copyTo(`copy (${query}) to stdout (format binary)`),
  ) as AsyncIterable<Buffer>) {
    if (end + chunk.length > memory.length) memory = Buffer.concat([memory], (end + chunk.length) * 2);
    end += chunk.copy(memory, end);
    const come = memory.subarray(0, end);
    for (let next = row.goTo(come, begin); next !== undefined; next = row.goTo(come, begin)) {
      if (come.readInt16BE(begin) !== TRAILER) onRow(row);
      begin = next;
    }
    const behind = Math.min(begin, end);
    memory.copyWithin(0, behind, end);
    begin -= behind;
    end -= behind;
  }
};
