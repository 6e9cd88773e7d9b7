/**
 * Reads, hashes and compresses GraphiQL on a thread of its own, posts it as one `Bundle`, and ends.
 * The package is one module of 9 MB: importing it stops a thread for 70 ms, and its strings go away with the thread.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql';
import type { Bundle } from './bundle.ts';
import { compress } from './compress.ts';

// GraphiQL limits the dragging of a tab to the list of tabs. Its animation library then moves every tab when that list
// is resized, and the first click on a tab misses it (github.com/motiondivision/motion/issues/3823, open). Without the
// limit tabs stay, and can still be dragged. A version whose code differs is left as it is; the browser test tells.
const withTabsThatStay = js.replace(/dragConstraints:[\w$]+,(?=value:)/, '');

const sources = {
  'graphiql.js': withTabsThatStay,
  'graphiql.css': css,
  'start.js': await readFile(new URL('start.browser.js', import.meta.url), 'utf8'),
  'editor.worker.js': editorWorkerService,
  'graphql.worker.js': graphqlWorker,
  'json.worker.js': jsonWorker,
};

const hash = createHash('sha256');
for (const [name, source] of Object.entries(sources)) hash.update(name).update(source);

const files = await Promise.all(
  Object.entries(sources).map(async ([name, source]) => {
    const { identity, gzip, br } = await compress(new TextEncoder().encode(source));
    // A copy, because node's small buffers are views of a shared pool, which cannot be given to another thread.
    return { name, bodies: { identity, gzip: new Uint8Array(gzip), br: new Uint8Array(br) } };
  }),
);

const bundle: Bundle = { hash: hash.digest('hex').slice(0, 16), files };
parentPort?.postMessage(
  bundle,
  files.flatMap(({ bodies }) => [bodies.identity.buffer, bodies.gzip.buffer, bodies.br.buffer]),
);
