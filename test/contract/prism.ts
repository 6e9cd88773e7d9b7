import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';

/** Prism between a client and the gateway: it holds each request and each answer against the gateway's OpenAPI document. */
export interface Prism extends AsyncDisposable {
  readonly send: (target: string, headers?: Record<string, string>) => Promise<Checked>;
}

export interface Checked {
  readonly status: number;
  readonly etag: string | null;
  /** What Prism has against the request, in its words. */
  readonly requestFaults: readonly string[];
  /** The same of the answer. */
  readonly answerFaults: readonly string[];
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

const PRISM = path.join(import.meta.dirname, '../../node_modules/.bin/prism');
const START_TIMEOUT_MS = 30_000;

/** @param document the OpenAPI document to go by */
export const startPrism = async (document: object, gatewayUrl: string): Promise<Prism> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-contract-'));
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const port = await findFreePort();
  const child = spawn(PRISM, ['proxy', '--port', String(port), file, gatewayUrl]);
  const end = (): void => void child.kill();
  process.once('exit', end);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string): void => reject(new Error(`Prism ${reason}:\n${output}`));
    const timer = setTimeout(fail, START_TIMEOUT_MS, 'did not start in time');
    child.on('exit', () => fail('ended'));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk).slice(-10_000);
        if (!output.includes('Prism is listening')) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
  return {
    send: async (target, headers = {}) => {
      const response = await fetch(`http://127.0.0.1:${port}${target}`, { headers });
      await response.arrayBuffer();
      const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]') as Violation[];
      const faults = (side: string): string[] =>
        violations
          .filter(({ location }) => location[0] === side)
          .map(({ location, message }) => `${location.join('.')}: ${message}`);
      return {
        status: response.status,
        etag: response.headers.get('etag'),
        requestFaults: faults('request'),
        answerFaults: faults('response'),
      };
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', end);
      end();
      await rm(folder, { recursive: true });
    },
  };
};
