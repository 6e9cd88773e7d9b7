import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_TABLE } from '../../src/errors.ts';

test('docs/errors.md has every error code with its status, in the order of errors.ts', async () => {
  const page = await readFile(path.join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [code, Number(status)]);
  expect(rows).toEqual(Object.entries(ERROR_TABLE).map(([code, { status }]) => [code, status]));
});
