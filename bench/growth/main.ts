import { startTemporaryServer } from '../database/database.ts';
import { measureGrowth } from './measure.ts';
import { HELP, readGrowthOptions } from './options.ts';
import { toDetails, toMarkdown, writeGrowth } from './report.ts';

// What grows with the catalogue: `npm run bench:growth`.

const options = readGrowthOptions(process.argv.slice(2));
if (options) {
  await using cleanup = new AsyncDisposableStack();
  const serverUrl = options.databaseUrl ?? (await startTemporaryServer(cleanup));
  const samples = await measureGrowth(serverUrl, options, console.error);
  const markdown = toMarkdown(samples);
  console.log(`${markdown}\n\n${toDetails(samples, options)}`);
  if (options.report) await writeGrowth(markdown);
} else console.log(HELP);
