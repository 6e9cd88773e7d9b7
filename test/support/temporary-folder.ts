import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** Resolves to the path of the file written. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>;
}

/** A folder that is gone when a test is over. */
export const temporaryFolder = async (): Promise<TemporaryFolder> => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'vitrine-')));
  return {
    path: folder,
    write: async (name, content) => {
      await writeFile(path.join(folder, name), content);
      return path.join(folder, name);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
};
