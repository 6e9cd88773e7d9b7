import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('to load the gateway and its server loads neither undici nor HTTP/2', async () => {
  const load = `
    await import('./src/gateway.ts');
    await import('./src/http/server.ts');
    console.log(process.moduleLoadList.join())`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load]);
  expect(stdout).toContain('NativeModule _http_server');
  expect(stdout).not.toMatch(/undici|http2/);
});
