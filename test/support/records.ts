import { Readable } from 'node:stream';
import { readRecords } from '../../src/catalogue/import/source/records.ts';
import type { Fault, SourceRecord } from '../../src/catalogue/import/value.ts';

/** The records of a text that arrives in pieces of so many bytes. */
export const readPieces = async (
  text: string,
  size: number,
): Promise<{ records: readonly SourceRecord[]; faults: readonly Fault[] }> => {
  const bytes = Buffer.from(text);
  const faults: Fault[] = [];
  const blocks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const source = { name: 'it', sizeBytes: undefined, readBytes: () => 0, blocks };
  const { batches } = await readRecords(source, (fault) => faults.push(fault), new AbortController().signal);
  return { records: (await Readable.from(batches).toArray()).flat(), faults };
};
