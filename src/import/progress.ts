import type { WriteStream } from 'node:tty';

/** How far an import is. */
export interface Progress {
  /** Shows a bar on a terminal, and a line every few seconds elsewhere. */
  readonly update: (state: ProgressState) => void;
  /** Removes the bar, so that a line can be written. */
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
const BAR_CHARACTERS = 24;
const CLEAR_TO_END_OF_LINE = '\x1b[K';

/** @param rejectedCount how many rows are rejected so far */
export const createProgress = (stream: WriteStream, rejectedCount: () => number): Progress => {
  const intervalMs = stream.isTTY ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS;
  let stepName = '';
  let startedMs = 0;
  let shownMs = 0;
  let hasBar = false;

  return {
    update: ({ step, done, total, rows }) => {
      const nowMs = performance.now();
      if (step !== stepName) {
        stepName = step;
        startedMs = nowMs;
        // A step that is over within the interval is not shown.
        shownMs = nowMs;
      }
      if (nowMs - shownMs < intervalMs) return;
      shownMs = nowMs;
      const elapsedMs = nowMs - startedMs;
      const share = total ? Math.min(1, done / total) : undefined;
      const percent = share === undefined ? '' : ` ${Math.floor(share * 100)} %`;
      const left = share ? `, ${duration((elapsedMs * (1 - share)) / share)} left` : '';
      const rejected = rejectedCount() > 0 ? `, ${count(rejectedCount())} rejected` : '';
      const details = `${count(rows)} rows, ${count((rows / elapsedMs) * 1000)}/s${rejected}${left}`;
      if (!stream.isTTY) {
        stream.write(`${step}${percent}, ${details}\n`);
        return;
      }
      const line = `${step} ${share === undefined ? '' : bar(share)}${percent}  ${details}`;
      // A line that wraps could not be overwritten.
      stream.write(`\r${line.slice(0, (stream.columns || 80) - 1)}${CLEAR_TO_END_OF_LINE}`);
      hasBar = true;
    },
    clear: () => {
      if (hasBar) stream.write(`\r${CLEAR_TO_END_OF_LINE}`);
      hasBar = false;
    },
  };
};

const count = (number: number): string => Math.round(number).toLocaleString('en');

const bar = (share: number): string => `[${'='.repeat(Math.round(share * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS)}]`;

const duration = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};
