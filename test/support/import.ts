import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseClient } from '../../src/database/client.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { type Imported, importFile } from '../../src/import/file.ts';
import { formatNamed, formatsOf } from '../../src/import/formats/formats.ts';
import type { Fault } from '../../src/import/record.ts';
import { openSource } from '../../src/import/source/source.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';

export interface TriedImport extends Imported {
  readonly faults: readonly Fault[];
}

interface Options {
  readonly format?: string;
  readonly currency?: string;
  readonly batchRows?: number;
  /** Called when the last row is written, just before the commit. */
  readonly beforeCommit?: () => void;
}

/** Imports a text, as a file, into a database. */
export const importText = async (
  { url }: { readonly url: string },
  text: string | Uint8Array,
  { format, currency, batchRows, beforeCommit }: Options = {},
): Promise<TriedImport> => {
  await using folder = await temporaryFolder();
  const client = new DatabaseClient(connectionConfig(url));
  client.on('error', () => {});
  await client.connect();
  const faults: Fault[] = [];
  try {
    const imported = await importFile({
      client,
      source: await openSource(await folder.write('catalogue', text)),
      format: format === undefined ? undefined : formatNamed(formatsOf(IMPORT_KINDS), format),
      kinds: IMPORT_KINDS,
      currency,
      batchRows,
      isInTransaction: false,
      onFault: (fault) => faults.push(fault),
      progress: {
        update: ({ step, done, total }) => {
          if (step === 'writing' && done === total) beforeCommit?.();
        },
        clear: () => {},
      },
    });
    return { ...imported, faults };
  } finally {
    await client.end();
  }
};

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** Resolves to the path of the file written. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>;
}

export const temporaryFolder = async (): Promise<TemporaryFolder> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vitrine-import-'));
  return {
    path: folder,
    write: async (name, content) => {
      await writeFile(path.join(folder, name), content);
      return path.join(folder, name);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
};

/** A CSV file of products `p-1` to `p-<count>` in one category. */
export const productCsv = (count: number): string =>
  [
    'slug,name,category,price',
    ...Array.from({ length: count }, (_, index) => `p-${index + 1},P ${index + 1},Pans,${index}.50`),
  ].join('\n');
