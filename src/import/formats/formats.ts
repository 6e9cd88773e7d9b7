import { OperatorError } from '../../errors.ts';
import { type ImportKind, nativeFormat } from '../kind.ts';
import type { SourceRecord } from '../record.ts';
import { bestbuyCategories } from './bestbuy.ts';
import { dummyjson } from './dummyjson.ts';
import type { Format } from './format.ts';
import { shopify } from './shopify.ts';

/** Every format, those with the most telling columns first: the first that recognises a file has it. */
export const formatsOf = (kinds: readonly ImportKind[]): readonly Format[] => [
  shopify,
  dummyjson,
  bestbuyCategories,
  ...kinds.map(nativeFormat),
];

/** @throws OperatorError that lists the formats, where there is none of this name */
export const formatNamed = (formats: readonly Format[], name: string): Format => {
  const format = formats.find((each) => each.name === name);
  if (format) return format;
  throw new OperatorError(`There is no format "${name}". There are ${formats.map((each) => each.name).join(', ')}.`);
};

/** The format that the columns of the first records speak for. @throws OperatorError where none does */
export const detectFormat = (
  formats: readonly Format[],
  sourceName: string,
  records: readonly SourceRecord[],
): Format => {
  const columns = columnsOf(records);
  const format = formats.find(({ recognises }) => recognises(columns));
  if (format) return format;
  throw new OperatorError(
    `${sourceName} is in no format that is known. Its columns: ${[...columns].slice(0, MAX_NAMED).join(', ')}.\n` +
      'A product needs name, price and category; a category name; a notice title and content.\n' +
      `Rename the columns, or name the format with --format:\n${formats.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}`,
  );
};

const MAX_NAMED = 30;

const columnsOf = (records: readonly SourceRecord[]): Set<string> =>
  new Set(records.slice(0, 100).flatMap(({ fields }) => Object.keys(fields)));
