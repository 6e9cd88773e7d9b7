import { startServerIn } from '../database/database.ts';
import { measureGrowth } from './measure.ts';
import { readGrowthOptions } from './options.ts';
import { toMarkdown } from './report.ts';

// What grows with the catalogue: `npm run bench:growth`.

const options = readGrowthOptions();
await using cleanup = new AsyncDisposableStack();
const serverUrl = options.databaseUrl ?? (await startServerIn(undefined, cleanup));
console.log(toMarkdown(await measureGrowth(serverUrl, options, console.error), options));
