/** Reads the demo shop on a thread of its own, posts it as one `Bundle`, and ends. */

import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { postBundle } from './page.ts';

const FOLDER = path.join(import.meta.dirname, '../../examples/shop');

// Browsers need JavaScript: types are removed, and all else stays in place. Nothing is bundled, so the browser's
// developer tools show these sources.
const sourceOf = async (name: string): Promise<string> => {
  const source = await readFile(path.join(FOLDER, name), 'utf8');
  return name.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
};

const names = (await readdir(FOLDER, { recursive: true }))
  .filter((name) => /\.(ts|js|css)$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => name.replaceAll(path.sep, '/'))
  .toSorted();

await postBundle(
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await sourceOf(name)] as const))),
);
