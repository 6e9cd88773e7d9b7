import { OperatorError } from '../../errors.ts';
import type { ImportKind } from '../kind.ts';
import { toCell } from '../rejects.ts';

/**
 * An example of a native format as CSV: its columns, and one row.
 * @throws OperatorError if the format has no example
 */
export const templateOf = (kinds: readonly ImportKind[], format: string): string => {
  const kind = kinds.find(({ plural }) => plural === format);
  if (!kind) {
    const names = kinds.map(({ plural }) => plural).join(', ');
    throw new OperatorError(`There is no template of ${format}, only of ${names}.`);
  }
  const { example } = kind.native;
  return [Object.keys(example), Object.values(example)].map((row) => `${row.map(toCell).join(',')}\n`).join('');
};
