import { OperatorError } from '../../errors.ts';
import type { ImportKind } from '../kind.ts';
import type { SourceRecord } from '../record.ts';
import { bestbuyCategories } from './bestbuy.ts';
import { dummyjson } from './dummyjson.ts';
import type { Format } from './format.ts';
import { nativeFormat } from './native.ts';
import { shopify } from './shopify.ts';

/** Every format. A file is in the first one that recognises its columns, so the most specific come first. */
export const formatsOf = (kinds: readonly ImportKind[]): readonly Format[] => [
  shopify,
  dummyjson,
  bestbuyCategories,
  ...kinds.map(nativeFormat),
];

const HEAD_RECORDS = 100;
const MAX_NAMED_COLUMNS = 30;

/** The format that recognises the columns of the first records. @throws OperatorError if none does */
export const detectFormat = (
  formats: readonly Format[],
  sourceName: string,
  records: readonly SourceRecord[],
): Format => {
  if (records.length === 0) throw new OperatorError(`${sourceName} has no rows: add one below the column names.`);
  const columns = new Set(records.slice(0, HEAD_RECORDS).flatMap(({ fields }) => Object.keys(fields)));
  const format = formats.find(({ recognises }) => recognises(columns));
  if (format) return format;
  throw new OperatorError(
    `${sourceName} is in no known format. Its columns: ${[...columns].slice(0, MAX_NAMED_COLUMNS).join(', ')}.\n` +
      'A product needs name, price and category; a category needs name; a notice needs title and content.\n' +
      `Rename the columns, or name the format with --format:\n${formats.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}`,
  );
};
