import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const SUITE = new URL(import.meta.resolve('@modelcontextprotocol/conformance/package.json'));
const EXPECTED_FAILURES = path.join(import.meta.dirname, 'mcp-expected-failures.yaml');
/** Those that it has requirements of. */
const REVISIONS = ['2025-11-25', '2026-07-28'];

/**
 * What the Model Context Protocol promises, held against a server by its official suite: https://github.com/modelcontextprotocol/conformance
 * @param url of the server @returns the checks that passed, in words
 * @throws AssertionError where a check fails that is not expected to, or passes that is
 */
export const checkMcp = async (url: URL): Promise<string> => {
  const { bin } = JSON.parse(await readFile(SUITE, 'utf8'));
  const program = fileURLToPath(new URL(bin.conformance, SUITE));
  const passed: string[] = [];
  for (const revision of REVISIONS) {
    const options = ['--url', url.href, '--requirements', revision, '--expected-failures', EXPECTED_FAILURES];
    const suite = spawn(process.execPath, [program, 'server', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const closed = new Promise((resolve) => suite.on('close', resolve));
    const output = await text(suite.stdout);
    assert.equal(await closed, 0, output);
    passed.push(`${/^Total: (\d+) passed/m.exec(output)?.[1]} of revision ${revision}`);
  }
  return passed.join(', ');
};
