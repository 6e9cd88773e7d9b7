import { makeDirectory, runProgram, type Surroundings } from '../program.ts';
import { writeSection } from '../report/section.ts';
import { measureWorkers } from './measure.ts';
import { readWorkersOptions, type WorkersOptions } from './options.ts';
import { SECTION, toWorkersSection, toWorkersText } from './report.ts';

// What several processes carry against one: `npm run bench:workers`.

const run = async (options: WorkersOptions, { signal, cleanup }: Surroundings): Promise<void> => {
  const directory = await makeDirectory('files-', cleanup);
  const results = await measureWorkers(options, { directory, signal, log: console.error });
  console.log(toWorkersText(results));
  if (options.report) await writeSection(SECTION, toWorkersSection(results));
};

await runProgram((surroundings) => run(readWorkersOptions(), surroundings));
