/** Writes `dist/`: src/ as JavaScript for the package, because Node strips no types inside node_modules. */

import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gatewayOptions } from './gateway-options.ts';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCE = path.join(ROOT, 'src');
const TARGET = path.join(ROOT, 'dist');

/** The module that users import, without its ending. */
const ENTRY = path.join(TARGET, 'index');

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** A module's declarations and all that they name, by file. */
const declarationsFrom = async (module: string, found = new Set<string>()): Promise<Set<string>> => {
  const file = `${module}.d.ts`;
  if (found.has(file)) return found;
  found.add(file);
  for (const [, specifier = ''] of (await readFile(file, 'utf8')).matchAll(
    /(?:from |import\()['"](\.[^'"]*)\.ts['"]/g,
  )) {
    await declarationsFrom(path.join(path.dirname(file), specifier), found);
  }
  return found;
};

await rm(TARGET, { recursive: true, force: true });
// By its file: on Windows, the command `tsc` is a script that only a shell runs.
const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
await promisify(execFile)(process.execPath, [tsc, '-p', path.join(import.meta.dirname, 'tsconfig.json')], {
  cwd: ROOT,
});

// TypeScript wants package.json below the root of what it compiles, so that src/ comes out one folder too deep.
const emitted = `${TARGET}.emitted`;
await rename(TARGET, emitted);
await rename(path.join(emitted, 'src'), TARGET);
await rm(emitted, { recursive: true });

await writeFile(path.join(TARGET, 'config/gateway-options.d.ts'), gatewayOptions());
const wanted = await declarationsFrom(ENTRY);
for (const file of await filesIn(TARGET)) if (file.endsWith('.d.ts') && !wanted.has(file)) await rm(file);

for (const file of await filesIn(SOURCE))
  if (!file.endsWith('.ts')) await cp(file, path.join(TARGET, path.relative(SOURCE, file)));
