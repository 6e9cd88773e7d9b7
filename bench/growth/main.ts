import { startTemporaryServer } from '../database/database.ts';
import { measureGrowth } from './measure.ts';
import { HELP, readGrowthOptions } from './options.ts';
import { toMarkdown } from './report.ts';

// What grows with the catalogue: `npm run bench:growth`.

const options = readGrowthOptions(process.argv.slice(2));
if (options) {
  await using cleanup = new AsyncDisposableStack();
  const serverUrl = options.databaseUrl ?? (await startTemporaryServer(cleanup));
  console.log(toMarkdown(await measureGrowth(serverUrl, options, console.error), options));
} else console.log(HELP);
