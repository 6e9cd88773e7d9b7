import { closeSync, openSync, writeSync } from 'node:fs';
import { OperatorError } from '../../errors.ts';
import type { Fault } from './value.ts';

/** Where rows that are not taken are told: a CSV file with a line for each fault, made when there is one. */
export interface Rejects {
  readonly add: (source: string, fault: Fault) => void;
  /** Rows with a fault, so far. */
  readonly rowCount: () => number;
  /** Whether the file was made. */
  readonly isWritten: () => boolean;
  readonly close: () => void;
}

const FLUSH_CHARACTERS = 64 * 1024;

/** @param path of the file; one that is there is replaced at the first fault */
export const createRejects = (path: string): Rejects => {
  let file: number | undefined;
  let pending = '';
  let rows = 0;
  let lastRow = '';

  const open = (): number => {
    try {
      return openSync(path, 'w');
    } catch (error) {
      throw new OperatorError(
        `${path} cannot be written: ${(error as Error).message}. Name another file with --rejects.`,
      );
    }
  };
  const flush = (): void => {
    if (file !== undefined) writeSync(file, pending);
    pending = '';
  };

  return {
    add: (source, { line, column = '', value = '', reason }) => {
      if (file === undefined) {
        file = open();
        pending = 'file,line,column,value,reason\n';
      }
      // The faults of one row come one after the other.
      const row = `${source}:${line}`;
      if (row !== lastRow) rows += 1;
      lastRow = row;
      pending += `${[source, String(line), column, value, reason].map(toCell).join(',')}\n`;
      if (pending.length > FLUSH_CHARACTERS) flush();
    },
    rowCount: () => rows,
    isWritten: () => file !== undefined,
    close: () => {
      flush();
      if (file !== undefined) closeSync(file);
    },
  };
};

const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
