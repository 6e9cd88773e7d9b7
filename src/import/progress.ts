import type { WriteStream } from 'node:tty';

/** How far an import is. */
export interface Progress {
  /** Shows it in one line of a terminal, and in a line every few seconds elsewhere. */
  readonly update: (state: ProgressState) => void;
  /** Empties the line, so that another can be written. */
  readonly clear: () => void;
}

interface ProgressState {
  /** What is being done. */
  readonly step: string;
  /** A part of `total`, in bytes or rows. */
  readonly done: number;
  /** Undefined if unknown. */
  readonly total: number | undefined;
  /** How many rows are through this step. */
  readonly rows: number;
}

const TERMINAL_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5000;
const EMPTY_LINE = '\r\x1b[K';

/** @param rejectedCount how many rows are rejected so far */
export const createProgress = (stream: WriteStream, rejectedCount: () => number): Progress => {
  const intervalMs = stream.isTTY ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS;
  let stepName = '';
  let startedMs = 0;
  let shownMs = 0;

  return {
    update: ({ step, done, total, rows }) => {
      const nowMs = performance.now();
      // A step that is over within the interval is not shown.
      if (step !== stepName) startedMs = shownMs = nowMs;
      stepName = step;
      if (nowMs - shownMs < intervalMs) return;
      shownMs = nowMs;
      const elapsedMs = nowMs - startedMs;
      const share = total ? Math.min(1, done / total) : undefined;
      const percent = share === undefined ? '' : ` ${Math.floor(share * 100)} %`;
      const left = share ? `, ${Math.ceil((elapsedMs * (1 - share)) / share / 1000)} s left` : '';
      const rejected = rejectedCount() > 0 ? `, ${count(rejectedCount())} rejected` : '';
      const line = `${step}${percent}, ${count(rows)} rows, ${count((rows / elapsedMs) * 1000)}/s${rejected}${left}`;
      // A line that wraps could not be overwritten.
      stream.write(stream.isTTY ? EMPTY_LINE + line.slice(0, (stream.columns || 80) - 1) : `${line}\n`);
    },
    clear: () => {
      if (stream.isTTY) stream.write(EMPTY_LINE);
    },
  };
};

const count = (number: number): string => Math.round(number).toLocaleString('en');
