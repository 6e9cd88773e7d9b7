import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { OperatorError } from '../errors.ts';
import { visible } from '../observability/log.ts';
import type { Imported, ProgressState } from './file.ts';
import { type Fault, showValue } from './record.ts';

/** What an import tells the operator. */
export interface Report {
  /** Shows how far a step is: in one line of a terminal, and in a line every few seconds elsewhere. */
  readonly progress: (state: ProgressState) => void;
  /** Lists the fault in a CSV file, which is created at the first, and prints the first few. */
  readonly fault: (source: string, fault: Fault) => void;
  /** Prints what the operator has to know of a file that is imported. */
  readonly warning: (source: string, text: string) => void;
  readonly counts: (source: string, imported: Imported) => void;
  /** How many rows have a fault. */
  readonly rejected: () => number;
  readonly close: () => void;
}

interface ReportOptions {
  readonly isDryRun: boolean;
  /** The list of an earlier run is removed. */
  readonly rejectsPath: string;
}

const TERMINAL_INTERVAL_MS = 100;
const PLAIN_INTERVAL_MS = 5000;
const EMPTY_LINE = '\r\x1b[K';

/** More faults of a run are only in the file. */
const MAX_PRINTED_FAULTS = 5;
const MAX_PRINTED_CHARACTERS = 80;

const FLUSH_CHARACTERS = 64 * 1024;

const HEADER = 'file,line,record,column,value,reason\n';

/** @throws OperatorError if the file of rejects is another file, which would be lost */
export const createReport = ({ isDryRun, rejectsPath }: ReportOptions): Report => {
  removeEarlier(rejectsPath);
  const { stderr } = process;
  const intervalMs = stderr.isTTY ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS;
  let stepName = '';
  let startedMs = 0;
  let shownMs = 0;
  let file: number | undefined;
  let pending = HEADER;
  let rejected = 0;
  let lastRow = '';

  const flush = (): void => {
    if (file !== undefined) writeSync(file, pending);
    pending = '';
  };
  const print = (line: string): void => {
    if (stderr.isTTY) stderr.write(EMPTY_LINE);
    console.error(visible(line));
  };

  return {
    progress: ({ step, done, total, rows }) => {
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
      const faulty = rejected > 0 ? `, ${count(rejected)} rejected` : '';
      const line = `${step}${percent}, ${count(rows)} rows, ${count((rows / elapsedMs) * 1000)}/s${faulty}${left}`;
      // A line that wraps could not be overwritten.
      stderr.write(stderr.isTTY ? EMPTY_LINE + line.slice(0, (stderr.columns || 80) - 1) : `${line}\n`);
    },
    fault: (source, { line, record = '', column = '', value = '', reason }) => {
      file ??= open(rejectsPath);
      // The faults of one row follow one another.
      const row = `${source}:${line}:${record}`;
      if (row !== lastRow) rejected += 1;
      lastRow = row;
      pending += `${[source, String(line), String(record), column, value, reason].map(toCell)}\n`;
      if (pending.length > FLUSH_CHARACTERS) flush();
      if (rejected > MAX_PRINTED_FAULTS) return;
      const place = [`${source}:${line}`, record && `record ${record}`, column].filter(Boolean).join(', ');
      const shown = value && ` (${JSON.stringify(showValue(value)).slice(0, MAX_PRINTED_CHARACTERS)})`;
      print(`${place}: ${reason}${shown}`);
    },
    warning: (source, text) => print(`${source}: ${text}`),
    counts: (source, { kind, format, container, unusedColumns, createdCategories, variants, ...rows }) => {
      if (stderr.isTTY) stderr.write(EMPTY_LINE);
      if (unusedColumns.length > 0) print(`${source}: columns not used: ${unusedColumns.join(', ')}`);
      const dryRun = isDryRun ? 'dry run, nothing is stored: ' : '';
      const counts = `${rows.created} new, ${rows.changed} changed, ${rows.unchanged} unchanged`;
      const categories = createdCategories === 1 ? '1 category' : `${createdCategories} categories`;
      const alsoCreated = createdCategories > 0 ? `; ${categories} created` : '';
      const ofVariants = variants
        ? `; variants: ${variants.created} new, ${variants.changed} changed, ${variants.unchanged} unchanged, ${variants.deleted} deleted`
        : '';
      console.log(
        `${source}: ${dryRun}${kind.plural} (${format.name}, ${container}): ${counts}${ofVariants}${alsoCreated}`,
      );
    },
    rejected: () => rejected,
    close: () => {
      flush();
      if (file !== undefined) closeSync(file);
      if (stderr.isTTY) stderr.write(EMPTY_LINE);
      if (rejected > 0)
        console.error(`${rejected} ${rejected === 1 ? 'row was' : 'rows were'} rejected: see ${rejectsPath}`);
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

const count = (number: number): string => Math.round(number).toLocaleString('en');

/** A cell of a CSV file. */
const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
