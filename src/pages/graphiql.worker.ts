/**
 * Reads GraphiQL on a thread of its own, posts it as one `Bundle`, and ends.
 * The package is one module of 9 MB: importing it stops a thread for 70 ms, and its strings go away with the thread.
 */

import { readFile } from 'node:fs/promises';
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql';
import { postBundle } from './page.ts';

// GraphiQL limits the dragging of a tab to the list of tabs. Its animation library then moves every tab when that list
// is resized, and the first click on a tab misses it (github.com/motiondivision/motion/issues/3823, open). Without the
// limit tabs stay, and can still be dragged. If a later version has other code, nothing is replaced, and the browser test fails.
const withTabsThatStay = js.replace(/dragConstraints:[\w$]+,(?=value:)/, '');

await postBundle({
  'graphiql.js': withTabsThatStay,
  'graphiql.css': css + (await readFile(new URL('./graphiql.css', import.meta.url), 'utf8')),
  'start.js': await readFile(new URL('./graphiql.browser.js', import.meta.url), 'utf8'),
  'editor.worker.js': editorWorkerService,
  'graphql.worker.js': graphqlWorker,
  'json.worker.js': jsonWorker,
});
