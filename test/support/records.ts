import { Readable } from 'node:stream';
import { type Fault, placeOf, type SourceRecord } from '../../src/import/record.ts';
import { readRecords } from '../../src/import/source/source.ts';

/** The records of a text that arrives in pieces of so many bytes. */
export const readPieces = async (
  text: string,
  size: number,
): Promise<{ records: readonly SourceRecord[]; faults: readonly Fault[] }> => {
  const bytes = Buffer.from(text);
  const blocks = async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  const source = { name: 'it', blocks };
  const { batches } = await readRecords(source, new AbortController().signal);
  const records: SourceRecord[] = (await Readable.from(batches).toArray()).flat();
  return {
    records: records.filter(({ fault }) => !fault),
    faults: records.flatMap(({ fault, ...record }) => (fault ? { ...placeOf(record), ...fault } : [])),
  };
};
