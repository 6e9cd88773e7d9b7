import { createRequire } from 'node:module';
import type pg from 'pg';
import { connectionOf } from './pg-client.ts';
import { GAP, joinColumns, RowText, type Text } from './row-text.ts';

// pg reads each column of a row as a string of its own. What is replaced here are inner members of its connection and its parser (lib/connection.js of
// pg 8, dist/parser.js of pg-protocol 1): with other names, pg goes on to do so.

interface InnerConnection extends pg.Connection {
  attachListeners: (stream: NodeJS.ReadableStream) => void;
}

interface Message {
  readonly name: string;
}

interface InnerParser {
  parse(bytes: Buffer, tell: (message: Message | RowText) => void): void;
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message | RowText;
}

interface RowParser extends InnerParser {
  /** Until the server is ready for the next statement. */
  readsRowTexts: boolean;
}

const DATA_ROW = 0x44;
const READY_FOR_QUERY = 0x5a;

/** Extends the parser of the copy of pg-protocol that pg has: another one would make other errors, of which `instanceof` knows nothing. */
const extendParser = (): (new () => RowParser) | undefined => {
  const { resolve } = createRequire(import.meta.url);
  let Parser: new () => InnerParser;
  try {
    ({ Parser } = createRequire(resolve('pg'))('pg-protocol/dist/parser.js'));
  } catch {
    return undefined;
  }
  return class extends Parser implements RowParser {
    readsRowTexts = false;

    override handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message | RowText {
      if (code === DATA_ROW && this.readsRowTexts) return rowTextAt(bytes, offset);
      if (code === READY_FOR_QUERY) this.readsRowTexts = false;
      return super.handlePacket(offset, code, length, bytes);
    }
  };
};

const OwnParser = extendParser();

const parsers = new WeakMap<pg.Connection, RowParser>();

/** Lets {@link readRowTexts} decide how rows are read. To be called before the client connects. */
export const parseRowTexts = (client: pg.Client): void => {
  const connection = connectionOf(client) as InnerConnection | undefined;
  if (!connection || !OwnParser) return;
  connection.attachListeners = (stream) => {
    const parser = new OwnParser();
    parsers.set(connection, parser);
    const tell = (message: Message | RowText): void => {
      if (message instanceof RowText) connection.emit('dataRow', message);
      else connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
    };
    stream.on('data', (bytes: Buffer) => parser.parse(bytes, tell));
  };
};

/** Each row of the statement that is sent next is a {@link RowText}. */
export const readRowTexts = (connection: pg.Connection): void => {
  const parser = parsers.get(connection);
  if (parser) parser.readsRowTexts = true;
};

/** https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-DATAROW */
const rowTextAt = (bytes: Buffer, offset: number): RowText => {
  const count = bytes.readInt16BE(offset);
  const start = offset + 2;
  const ends = new Array<number>(count);
  let at = start;
  let highBytes = 0;
  for (let index = 0; index < count; index += 1) {
    const length = bytes.readInt32BE(at);
    highBytes += highBytesOf(length);
    at += GAP + Math.max(length, 0);
    ends[index] = length < 0 ? ~(at - start) : at - start;
  }
  const text = bytes.toString('latin1', start, at);
  const row = new RowText(text, ends);
  // In UTF-8 each byte above ASCII takes two.
  const isAscii = Buffer.byteLength(text) === text.length + highBytes;
  return isAscii ? row : joinColumns(ends.map((_, index) => decode(row.column(index))));
};

/** How many bytes of a length are above ASCII. */
const highBytesOf = (int32: number): number =>
  (int32 >>> 31) + ((int32 >>> 23) & 1) + ((int32 >>> 15) & 1) + ((int32 >>> 7) & 1);

const decode = (bytes: Text): Text => bytes && Buffer.from(bytes, 'latin1').toString();
