import type { WriteStream } from 'node:tty';

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
