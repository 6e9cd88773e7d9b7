/** Reads the files of a page on a thread of its own, compresses them, posts them as one `Bundle`, and ends. */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { compress } from '../http/content-encodings.ts';
import type { Bundle, PageName } from './page.ts';

type Sources = Readonly<Record<string, string>>;

const read = (file: string | URL): Promise<string> => readFile(file, 'utf8');

const SHOP = path.join(import.meta.dirname, '../../examples/shop');

/** The texts of each page, by file name. */
const SOURCES: Readonly<Record<PageName, () => Promise<Sources>>> = {
  /** Its package is one module of 9 MB: importing it stops a thread for 70 ms, and its strings go away with the thread. */
  graphiql: async () => {
    const { css, editorWorkerService, graphqlWorker, js, jsonWorker } = await import(
      '@graphql-yoga/render-graphiql/graphiql'
    );
    return {
      // GraphiQL limits the dragging of a tab to the list of tabs. Its animation library then moves every tab when that list
      // is resized, and the first click on a tab misses it (github.com/motiondivision/motion/issues/3823, open). Without the
      // limit tabs stay, and can still be dragged. If a later version has other code, nothing is replaced, and the browser test fails.
      'graphiql.js': js.replace(/dragConstraints:[\w$]+,(?=value:)/, ''),
      'graphiql.css': css + (await read(new URL('./graphiql.css', import.meta.url))),
      'start.js': await read(new URL('./graphiql.browser.js', import.meta.url)),
      'editor.worker.js': editorWorkerService,
      'graphql.worker.js': graphqlWorker,
      'json.worker.js': jsonWorker,
    };
  },
  docs: async () => ({
    'swagger-ui.js': await read(new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
    'swagger-ui.css': await read(new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))),
    'start.js': await read(new URL('./reference.browser.js', import.meta.url)),
    'docs.css': await read(new URL('./reference.css', import.meta.url)),
  }),
  // Nothing is bundled, and types are only blanked, so the browser's developer tools show these sources.
  demo: async () => {
    const names = (await readdir(SHOP, { recursive: true }))
      .filter((name) => /\.(ts|js|css)$/.test(name) && !name.endsWith('.d.ts'))
      .toSorted();
    const sourceOf = async (name: string): Promise<[name: string, source: string]> => {
      const source = await read(path.join(SHOP, name));
      return [name.replaceAll(path.sep, '/'), name.endsWith('.ts') ? stripTypeScriptTypes(source) : source];
    };
    return Object.fromEntries(await Promise.all(names.map(sourceOf)));
  },
};

const sources = Object.entries(await SOURCES[workerData as PageName]());
const hash = createHash('sha256');
for (const [name, source] of sources) hash.update(name).update(source);

const files = await Promise.all(
  sources.map(async ([name, source]) => {
    const { identity, gzip, br } = await compress(new TextEncoder().encode(source));
    // A copy, because Node's small buffers are views of a shared pool, which cannot be transferred to another thread.
    return { name, bodies: { identity, gzip: new Uint8Array(gzip), br: new Uint8Array(br) } };
  }),
);

parentPort?.postMessage(
  { hash: hash.digest('hex').slice(0, 16), files } satisfies Bundle,
  files.flatMap(({ bodies }) => [bodies.identity.buffer, bodies.gzip.buffer, bodies.br.buffer]),
);
