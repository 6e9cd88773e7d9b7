import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Bundle } from './bundle.ts';
import { compress } from './compress.ts';

/** On a thread of `loadBundle`: hashes and compresses the files of a page and posts them. @param sources texts by file name */
export const postBundle = async (sources: Readonly<Record<string, string>>): Promise<void> => {
  const hash = createHash('sha256');
  for (const [name, source] of Object.entries(sources)) hash.update(name).update(source);

  const files = await Promise.all(
    Object.entries(sources).map(async ([name, source]) => {
      const { identity, gzip, br } = await compress(new TextEncoder().encode(source));
      // A copy, because node's small buffers are views of a shared pool, which cannot be given to another thread.
      return { name, bodies: { identity, gzip: new Uint8Array(gzip), br: new Uint8Array(br) } };
    }),
  );

  const bundle: Bundle = { hash: hash.digest('hex').slice(0, 16), files };
  parentPort?.postMessage(
    bundle,
    files.flatMap(({ bodies }) => [bodies.identity.buffer, bodies.gzip.buffer, bodies.br.buffer]),
  );
};
