import { writeFile } from 'node:fs/promises';
import { runBenchmark } from './benchmark.ts';
import { type Options, readOptions } from './options.ts';
import { makeDirectory, runProgram, type Surroundings } from './program.ts';
import { compareWithLastRun } from './report/comparison.ts';
import { writeReport } from './report/report.ts';
import { summarise } from './report/summary.ts';
import { toText } from './report/tables.ts';

const run = async (options: Options, { signal, cleanup }: Surroundings): Promise<void> => {
  const directory = await makeDirectory('files-', cleanup);
  const results = await runBenchmark(options, { directory, signal, log: console.error });
  const summary = summarise(results);
  console.log(`${toText(results, summary)}\n\n${await compareWithLastRun(results, summary)}`);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(results, null, 2)}\n`);
  if (options.report) await writeReport(results, summary);
};

await runProgram((surroundings) => run(readOptions(), surroundings));
