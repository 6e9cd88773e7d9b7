import { checkRow, FIELDS, KEY_FIELD, type Kind } from '../fields/kinds.ts';
import type { Draft, FormatReader } from '../formats/format.ts';
import { type Fault, Problem, showValue, type Value } from '../value.ts';

/** A row of the stage as COPY takes it, or everything that is wrong with it. */
export type Encoded = string | Fault[];

/** Bit n says that the file speaks of field n: what it does not speak of stays as it is. */
export const givenBit = (index: number): number => 2 ** index;

/** Rows of one file, checked and in the text format of COPY: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
export const createEncoder = (kind: Kind, reader: FormatReader) => {
  const fields = Object.entries(FIELDS[kind]);
  const key = KEY_FIELD[kind];

  return ({ line, values }: Draft, ordinal: number): Encoded => {
    const faults: Fault[] = [];
    const cells: string[] = [];
    const parsed: Record<string, string | null> = {};
    let given = 0;
    for (const [index, [name, field]] of fields.entries()) {
      const value = values[name];
      const isEmpty = isEmptyValue(value);
      const result = isEmpty ? null : field.parse(value as Value);
      if (result instanceof Problem) faults.push(toFault(line, name, value, result));
      else {
        parsed[name] = result;
        if (!isEmpty || (field.isNullable && value !== undefined)) given += givenBit(index);
        cells.push(result === null ? '\\N' : toCell(result));
      }
    }
    if (faults.length === 0 && !parsed[key]) faults.push(toFault(line, key, values[key], new Problem('is missing')));
    const problem = checkRow(kind, parsed);
    if (problem) faults.push(toFault(line, 'endsAt', values.endsAt, problem));
    return faults.length > 0 ? faults : `${ordinal}\t${line}\t${given}\t${cells.join('\t')}\n`;
  };

  function toFault(line: number, name: string, value: Value | undefined, { reason }: Problem): Fault {
    return { line, column: reader.columnOf(name), value: value === undefined ? '' : showValue(value), reason };
  }
};

const isEmptyValue = (value: Value | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const toCell = (text: string): string =>
  /[\\\n\r\t]/.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? '') : text;
