import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface DocumentFolder extends AsyncDisposable {
  readonly path: string;
}

/** A folder for REST_DOCUMENTS with these files in it, by their names. */
export const createDocumentFolder = async (files: Readonly<Record<string, string>>): Promise<DocumentFolder> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-documents-'));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return { path: folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
};
