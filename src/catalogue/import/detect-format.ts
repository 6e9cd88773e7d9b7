import { OperatorError } from '../../errors.ts';
import type { Format } from './formats/format.ts';
import { FORMATS } from './formats/formats.ts';
import type { SourceRecord } from './value.ts';

/** @throws OperatorError that lists the formats, where there is none of this name */
export const formatNamed = (name: string): Format => {
  const format = FORMATS.find((each) => each.name === name);
  if (format) return format;
  throw new OperatorError(`There is no format "${name}". There are ${FORMATS.map((each) => each.name).join(', ')}.`);
};

/** The format that the columns of the first records speak for. @throws OperatorError where none does */
export const detectFormat = (sourceName: string, records: readonly SourceRecord[]): Format => {
  const columns = columnsOf(records);
  const format = FORMATS.find(({ recognises }) => recognises(columns));
  if (format) return format;
  throw new OperatorError(
    `${sourceName} is in no format that is known. Its columns: ${[...columns].slice(0, MAX_NAMED).join(', ')}.\n` +
      'A product needs name, price and category; a category name; a notice title and content.\n' +
      `Rename the columns, or name the format with --format:\n${FORMATS.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}`,
  );
};

const MAX_NAMED = 30;

const columnsOf = (records: readonly SourceRecord[]): Set<string> =>
  new Set(records.slice(0, 100).flatMap(({ fields }) => Object.keys(fields)));
