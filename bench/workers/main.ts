import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeWorkersSection } from '../report/report.ts';
import { measureWorkers } from './measure.ts';
import { HELP, readWorkersOptions, type WorkersOptions } from './options.ts';
import { toWorkersSection, toWorkersText } from './report.ts';

// What several processes carry against one: `npm run bench:workers`.

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort(new Error('interrupted')));
}

const run = async (options: WorkersOptions): Promise<void> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'vitrine-bench-files-'));
  try {
    const results = await measureWorkers(options, { directory, signal: interrupted.signal, log: console.error });
    console.log(toWorkersText(results));
    if (options.report) await writeWorkersSection(toWorkersSection(results));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

try {
  const options = readWorkersOptions(process.argv.slice(2));
  if (options) await run(options);
  else console.log(HELP);
} catch (error) {
  console.error(interrupted.signal.aborted ? 'interrupted' : error);
  process.exitCode = 1;
}
