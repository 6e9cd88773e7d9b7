import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { bundleOf, createBundledPage, toScriptJson } from '../../src/pages/page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a page whose files could not be read is read again at the next request', async () => {
  await using folder = await temporaryFolder();
  const worker = pathToFileURL(`${folder.path}/worker.mjs`);
  const assets = { path: '', load: bundleOf('docs', worker) };
  const { page } = createBundledPage({ assets, render: ({ base }) => `<p>${base}</p>`, sources: {} });
  await expect(page()).rejects.toThrow('worker.mjs');
  const bundle = JSON.stringify({ hash: 'cafe', files: [] });
  await folder.write(
    'worker.mjs',
    `import { parentPort } from 'node:worker_threads'; parentPort.postMessage(${bundle});`,
  );
  expect(new TextDecoder().decode((await page()).bodies.identity)).toBe('<p>./cafe</p>');
});

test('JSON in a script cannot close it', () => {
  const value = { text: '</script><script>alert(1)</script>' };
  expect(toScriptJson(value)).not.toContain('<');
  expect(JSON.parse(toScriptJson(value))).toEqual(value);
});
