import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { OperatorError } from '../errors.ts';
import { visible } from '../observability/log.ts';
import type { Imported } from './file.ts';
import type { Written } from './kind.ts';
import { type Fault, showValue } from './record.ts';

interface ReportOptions {
  readonly isDryRun: boolean;
  /** The list of an earlier run is removed. */
  readonly rejectsPath: string;
}

const PROGRESS_INTERVAL_MS = 5000;

/** More faults of a run are only in the file. */
const MAX_PRINTED_FAULTS = 5;
const MAX_PRINTED_CHARACTERS = 80;

const HEADER = 'file,line,record,column,value,reason\n';

/** What an import tells the operator. */
export class Report {
  /** How many rows have a fault. */
  rejected = 0;
  readonly #options: ReportOptions;
  #toldMs = performance.now();
  /** The list of rejected rows, once there is one. */
  #file: number | undefined;
  #lastRow = '';

  /** @throws OperatorError if the file of rejects is another file, which would be lost */
  constructor(options: ReportOptions) {
    removeEarlier(options.rejectsPath);
    this.#options = options;
  }

  /** Says every few seconds how far a long step is. */
  progress(step: string, rows: number): void {
    if (performance.now() - this.#toldMs < PROGRESS_INTERVAL_MS) return;
    this.#toldMs = performance.now();
    print(`${step}, ${rows.toLocaleString('en')} rows`);
  }

  /** Lists the fault in a CSV file, which is created at the first, and prints the first few. */
  fault(source: string, fault: Fault): void {
    const { line, record = '', column = '', value = '', reason } = fault;
    this.#file ??= open(this.#options.rejectsPath);
    // The faults of one row follow one another.
    const row = `${source}:${line}:${record}`;
    if (row !== this.#lastRow) this.rejected += 1;
    this.#lastRow = row;
    writeSync(this.#file, `${[source, String(line), String(record), column, value, reason].map(toCell)}\n`);
    if (this.rejected > MAX_PRINTED_FAULTS) return;
    const place = [`${source}:${line}`, record && `record ${record}`, column].filter(Boolean).join(', ');
    const shown = value && ` (${JSON.stringify(showValue(value)).slice(0, MAX_PRINTED_CHARACTERS)})`;
    print(`${place}: ${reason}${shown}`);
  }

  /** Prints what the operator has to know of a file that is imported. */
  warning(source: string, text: string): void {
    print(`${source}: ${text}`);
  }

  counts(source: string, imported: Imported): void {
    const { kind, format, container, unusedColumns, createdCategories, variants, ...rows } = imported;
    if (unusedColumns.length > 0) print(`${source}: columns not used: ${unusedColumns.join(', ')}`);
    const dryRun = this.#options.isDryRun ? 'dry run, nothing is stored: ' : '';
    const categories = createdCategories === 1 ? '1 category' : `${createdCategories} categories`;
    const alsoCreated = createdCategories > 0 ? `; ${categories} created` : '';
    const ofVariants = variants ? `; variants: ${shown(variants)}, ${variants.deleted} deleted` : '';
    console.log(
      `${source}: ${dryRun}${kind.plural} (${format.name}, ${container}): ${shown(rows)}${ofVariants}${alsoCreated}`,
    );
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    const rows = this.rejected === 1 ? 'row was' : 'rows were';
    if (this.rejected > 0) console.error(`${this.rejected} ${rows} rejected: see ${this.#options.rejectsPath}`);
  }
}

const print = (line: string): void => console.error(visible(line));

const shown = ({ created, changed, unchanged }: Written): string =>
  `${created} new, ${changed} changed, ${unchanged} unchanged`;

const removeEarlier = (path: string): void => {
  const status = statSync(path, { throwIfNoEntry: false });
  // `/dev/stderr` and `/dev/null` are no files.
  if (!status?.isFile() || status.size === 0) return;
  if (!readFileSync(path, 'utf8').startsWith('file,line,'))
    throw new OperatorError(`${path} is no list of rejected rows, and is kept. Name another file with --rejects.`);
  rmSync(path);
};

const open = (path: string): number => {
  try {
    const file = openSync(path, 'w');
    writeSync(file, HEADER);
    return file;
  } catch (error) {
    const reason = (error as Error).message;
    throw new OperatorError(`${path} cannot be written: ${reason}. Name another file with --rejects.`);
  }
};

/** A cell of a CSV file. */
const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
