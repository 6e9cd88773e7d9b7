import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { OperatorError } from '../errors.ts';
import type { Fault } from './record.ts';

/** A CSV file with a line for each fault, created at the first. */
export interface Rejects {
  readonly add: (source: string, fault: Fault) => void;
  /** How many rows have a fault. */
  readonly rowCount: () => number;
  readonly close: () => void;
}

const FLUSH_CHARACTERS = 64 * 1024;

const HEADER = 'file,line,record,column,value,reason\n';

/**
 * @param path the list of an earlier run is removed
 * @throws OperatorError if it is another file, which would be lost
 */
export const createRejects = (path: string): Rejects => {
  removeEarlier(path);
  let file: number | undefined;
  let pending = HEADER;
  let rowCount = 0;
  let lastRow = '';

  const flush = (): void => {
    if (file !== undefined) writeSync(file, pending);
    pending = '';
  };

  return {
    add: (source, { line, record = '', column = '', value = '', reason }) => {
      file ??= open(path);
      // The faults of one row follow one another.
      const row = `${source}:${line}:${record}`;
      if (row !== lastRow) rowCount += 1;
      lastRow = row;
      pending += `${[source, String(line), String(record), column, value, reason].map(toCell)}\n`;
      if (pending.length > FLUSH_CHARACTERS) flush();
    },
    rowCount: () => rowCount,
    close: () => {
      flush();
      if (file !== undefined) closeSync(file);
    },
  };
};

const removeEarlier = (path: string): void => {
  const status = statSync(path, { throwIfNoEntry: false });
  // `/dev/stderr` and `/dev/null` are no files.
  if (!status?.isFile() || status.size === 0) return;
  const head = Buffer.alloc(HEADER.length);
  const file = openSync(path, 'r');
  readSync(file, head);
  closeSync(file);
  if (!head.toString('latin1').startsWith('file,line,'))
    throw new OperatorError(`${path} is no list of rejected rows, and is kept. Name another file with --rejects.`);
  rmSync(path);
};

const open = (path: string): number => {
  try {
    return openSync(path, 'w');
  } catch (error) {
    const reason = (error as Error).message;
    throw new OperatorError(`${path} cannot be written: ${reason}. Name another file with --rejects.`);
  }
};

/** A cell of a CSV file. */
export const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
