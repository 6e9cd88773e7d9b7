import { closeSync, openSync, writeSync } from 'node:fs';
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

/** @param path an existing file is replaced at the first fault */
export const createRejects = (path: string): Rejects => {
  let file: number | undefined;
  let pending = 'file,line,column,value,reason\n';
  let rowCount = 0;
  let lastRow = '';

  const flush = (): void => {
    if (file !== undefined) writeSync(file, pending);
    pending = '';
  };

  return {
    add: (source, { line, column = '', value = '', reason }) => {
      file ??= open(path);
      // The faults of one row follow one another.
      const row = `${source}:${line}`;
      if (row !== lastRow) rowCount += 1;
      lastRow = row;
      pending += `${[source, String(line), column, value, reason].map(toCell).join(',')}\n`;
      if (pending.length > FLUSH_CHARACTERS) flush();
    },
    rowCount: () => rowCount,
    close: () => {
      flush();
      if (file !== undefined) closeSync(file);
    },
  };
};

const open = (path: string): number => {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new OperatorError(
      `${path} cannot be written: ${(error as Error).message}. Name another file with --rejects.`,
    );
  }
};

const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
