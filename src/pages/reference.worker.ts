/** Reads the files of the REST reference on a thread of its own, posts them as one `Bundle`, and ends. */

import { readFile } from 'node:fs/promises';
import { postBundle } from './page.ts';

const read = (url: URL): Promise<string> => readFile(url, 'utf8');

await postBundle({
  'swagger-ui.js': await read(new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
  'swagger-ui.css': await read(new URL(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))),
  'start.js': await read(new URL('./reference.browser.js', import.meta.url)),
  'docs.css': await read(new URL('./reference.css', import.meta.url)),
});
