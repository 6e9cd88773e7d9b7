import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runBenchmark } from './benchmark.ts';
import { HELP, readOptions } from './options.ts';
import { compareWithLastRun } from './report/comparison.ts';
import { writeReport } from './report/report.ts';
import { summarise } from './report/summary.ts';
import { toText } from './report/tables.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
process.once('SIGTERM', () => interrupted.abort(new Error('interrupted')));

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(HELP);
    process.exit(0);
  }
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'vitrine-bench-files-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));

  const results = await runBenchmark(options, { directory, signal: interrupted.signal, log: console.error });
  const summary = summarise(results);
  console.log(`${toText(results, summary)}\n\n${await compareWithLastRun(results, summary)}`);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(results, null, 2)}\n`);
  if (options.report) await writeReport(results, summary);
} catch (error) {
  console.error(interrupted.signal.aborted ? 'interrupted' : isExplained(error) ? error.message : error);
  process.exitCode = 1;
}

/** Faults that are told in words; for any other the stack is what helps. */
function isExplained(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.constructor === Error || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
}
