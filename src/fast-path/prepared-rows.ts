import type pg from 'pg';
import { ownBytesOf } from './own-memory.ts';
import { readRowTexts } from './row-parser.ts';
import type { RowText, Text } from './row-text.ts';
import { createTurnBatch, type TurnBatch } from './turn-batch.ts';

/** What the driver calls back with. */
export interface TextRows {
  readonly fields: readonly pg.FieldDef[];
  /** A row as texts of its columns is one that the driver has read. */
  readonly rows: readonly (RowText | readonly Text[])[];
}

export type TextRowsCallback = (error: unknown, result?: TextRows) => void;

const BIND = 0x42;
const BYTES_OF_LENGTH = 4;

/** `Execute` of the unnamed portal for all rows, and `Sync`. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

interface Execution {
  readonly stream: pg.Connection['stream'];
  readonly message: Buffer;
}

/** Where the connections of a pool write their executions. */
export type Executions = TurnBatch<Execution>;

export const createExecutions = (): Executions =>
  createTurnBatch(({ stream, message }) => {
    if (stream.writable) stream.write(message);
  });

/**
 * A statement that the driver has prepared on a connection, with the columns of its rows: they cannot change, for PostgreSQL refuses the statement
 * then ("cached plan must not change result type"). So it need not be described again, and each execution is one write:
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class PreparedStatement {
  readonly #fields: readonly pg.FieldDef[];
  /** The names of the portal, which has none, and of the statement; no format codes, so that all values are texts. */
  readonly #names: Buffer;
  readonly #executions: Executions;

  constructor(name: string, fields: readonly pg.FieldDef[], executions: Executions) {
    this.#fields = fields;
    this.#executions = executions;
    this.#names = ownBytesOf(`\0${name}\0\0\0`);
  }

  /** Undefined for values of a rare kind, which are left to the driver. */
  execution(values: readonly unknown[]): PreparedRows | undefined {
    const message = this.#messageOf(values);
    return message && new PreparedRows(message, this.#fields, this.#executions);
  }

  #messageOf(values: readonly unknown[]): Buffer | undefined {
    const texts: Text[] = [];
    // Its length, its names, the number of values, that of the format codes of columns: none, so that they are texts.
    let length = BYTES_OF_LENGTH + this.#names.length + 2 + 2;
    for (const value of values) {
      const text = textOf(value);
      if (text === undefined) return undefined;
      texts.push(text);
      length += BYTES_OF_LENGTH + (text === null ? 0 : Buffer.byteLength(text));
    }
    const message = Buffer.allocUnsafe(1 + length + EXECUTE_AND_SYNC.length);
    message[0] = BIND;
    let at = message.writeInt32BE(length, 1);
    at += this.#names.copy(message, at);
    at = message.writeInt16BE(texts.length, at);
    for (const text of texts) {
      const written = text === null ? 0 : message.write(text, at + BYTES_OF_LENGTH);
      message.writeInt32BE(text === null ? -1 : written, at);
      at += BYTES_OF_LENGTH + written;
    }
    at = message.writeInt16BE(0, at);
    EXECUTE_AND_SYNC.copy(message, at);
    return message;
  }
}

/** PostgreSQL's text of a value; undefined for what only the driver knows to write. */
const textOf = (value: unknown): Text | undefined => {
  if (value === null) return null;
  if (typeof value === 'number' || typeof value === 'string') return `${value}`;
  // Other years are written in another way.
  if (value instanceof Date)
    return value.getTime() >= 0 && value.getTime() < YEAR_10000 ? value.toISOString() : undefined;
  return Array.isArray(value) && value.every(Number.isInteger) ? `{${value}}` : undefined;
};

const YEAR_10000 = Date.UTC(10_000);

/**
 * An execution, for `client.query` with a callback: the driver takes objects of other classes (`Submittable`, as pg-cursor has one), and calls these
 * methods with what the server answers (lib/client.js of pg 8).
 */
class PreparedRows implements pg.Submittable, TextRows {
  readonly fields: readonly pg.FieldDef[];
  readonly rows: (RowText | readonly Text[])[] = [];
  readonly #message: Buffer;
  readonly #executions: Executions;
  /** Set by the driver. */
  declare callback: TextRowsCallback;

  constructor(message: Buffer, fields: readonly pg.FieldDef[], executions: Executions) {
    this.#message = message;
    this.#executions = executions;
    this.fields = fields;
  }

  submit(connection: pg.Connection): void {
    readRowTexts(connection);
    this.#executions.add({ stream: connection.stream, message: this.#message });
  }

  handleDataRow(row: RowText | { readonly fields: readonly Text[] }): void {
    this.rows.push('fields' in row ? row.fields : row);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null, this);
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}
