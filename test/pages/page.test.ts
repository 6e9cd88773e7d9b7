import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createBundledPage, toScriptJson } from '../../src/pages/page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a page whose files could not be read is read again at the next request', async () => {
  await using folder = await temporaryFolder();
  const file = `${folder.path}/start.js`;
  const assets = { path: '', load: async () => ({ 'start.js': await readFile(file, 'utf8') }) };
  const { page } = createBundledPage({ assets, render: ({ names }) => `<p>${names}</p>`, sources: {} });
  await expect(page()).rejects.toThrow('start.js');
  await folder.write('start.js', '');
  expect(new TextDecoder().decode((await page()).bodies.identity)).toBe('<p>start.js</p>');
});

test('JSON in a script cannot close it', () => {
  const value = { text: '</script><script>alert(1)</script>' };
  expect(toScriptJson(value)).not.toContain('<');
  expect(JSON.parse(toScriptJson(value))).toEqual(value);
});
