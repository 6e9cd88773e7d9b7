import { closeSync, openSync, writeSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import { OperatorError } from '../errors.ts';
import type { Fault } from './record.ts';

interface State {
  /** What is being done. */
  readonly step: string;
  /** A part of `total`, in whatever unit. */
  readonly done: number;
  /** Undefined where nobody knows. */
  readonly total: number | undefined;
  /** That are through this step. */
  readonly rows: number;
  readonly rejected: number;
}

/** How far an import is, for whoever watches: a bar on a terminal, a line now and then elsewhere. */
export interface Progress {
  readonly update: (state: State) => void;
  /** Takes the bar away, so that a line can be written. */
  readonly clear: () => void;
}

const TERMINAL_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5000;
const BAR_WIDTH = 24;

export const createProgress = (stream: WriteStream): Progress => {
  const isTerminal = stream.isTTY === true;
  const intervalMs = isTerminal ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS;
  let stepName = '';
  let startedMs = 0;
  let shownMs = 0;
  let hasBar = false;

  return {
    update: ({ step, done, total, rows, rejected }) => {
      const nowMs = performance.now();
      if (step !== stepName) {
        stepName = step;
        startedMs = nowMs;
        // Nothing is said of what is quick.
        shownMs = nowMs;
      }
      if (nowMs - shownMs < intervalMs) return;
      shownMs = nowMs;
      const share = total ? Math.min(1, done / total) : undefined;
      const left = share ? `, ${duration(((nowMs - startedMs) * (1 - share)) / share)} left` : '';
      const rate = Math.round(rows / ((nowMs - startedMs) / 1000));
      const refused = rejected > 0 ? `, ${count(rejected)} rejected` : '';
      const note = `${count(rows)} rows, ${count(rate)}/s${refused}`;
      const percent = share === undefined ? '' : ` ${Math.floor(share * 100)} %`;
      if (!isTerminal) {
        stream.write(`${step}${percent}, ${note}${left}\n`);
        return;
      }
      const line = `${step} ${share === undefined ? '' : bar(share)}${percent}  ${note}${left}`;
      // Cut, for a line that wraps cannot be taken back. 2K: clears to the end of the line.
      stream.write(`\r${line.slice(0, (stream.columns || 80) - 1)}\x1b[K`);
      hasBar = true;
    },
    clear: () => {
      if (hasBar) stream.write('\r\x1b[K');
      hasBar = false;
    },
  };
};

const count = (number: number): string => number.toLocaleString('en');

const bar = (share: number): string => {
  const full = Math.round(share * BAR_WIDTH);
  return `[${'='.repeat(full)}${' '.repeat(BAR_WIDTH - full)}]`;
};

const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

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
