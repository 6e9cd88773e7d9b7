import { CsvError, parse } from 'csv-parse/sync';
import { OperatorError } from '../../errors.ts';
import type { SourceRecord, Value } from '../record.ts';
import { CARRIAGE_RETURN, countNewlines, MAX_RECORD_BYTES, MAY_BE_CUT, NEWLINE, type TextBlock } from './source.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * The records of a CSV file (RFC 4180), named by its first one. csv-parse reads whole blocks at once; a record that is not well-formed
 * is given as broken, and reading goes on with the line after the one that it begins in, so that a forgotten quote costs one row.
 * @throws OperatorError where the first line names a column twice
 */
export async function* readCsv(blocks: AsyncIterable<TextBlock>): AsyncGenerator<SourceRecord[], void> {
  let header: string[] | undefined;
  let delimiter = ',';
  let rest: Buffer = Buffer.alloc(0);
  let restLine = 1;

  for await (const { bytes, line: blockLine, isLast } of blocks) {
    const text = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let line = rest.length === 0 ? blockLine : restLine;
    let at = 0;
    if (!header) {
      at = skipSeparatorLine(text);
      line += countNewlines(text, 0, at);
      delimiter = detectDelimiter(text.subarray(at));
    }
    const records: SourceRecord[] = [];
    const isUnterminated = isLast && text.length > 0 && !isLineEnd(text.at(-1));

    const take = (row: string[], from: number, to: number): void => {
      let start = from;
      while (isLineEnd(text[start])) {
        if (text[start] === NEWLINE) line += 1;
        start += 1;
      }
      if (!header) header = toHeader(row);
      else {
        const isCut = isUnterminated && to === text.length;
        if (row.length !== header.length)
          records.push(brokenRow(header, row, line, isCut && row.length < header.length));
        else records.push({ line, fields: toFields(header, row), ...(isCut && { isUnterminated: true }) });
      }
      line += countNewlines(text, start, to);
      at = to;
    };

    rest = Buffer.alloc(0);
    while (at < text.length) {
      const from = at;
      const error = parseBlock(text.subarray(from), delimiter, (row, end) => take(row, at, from + end));
      if (!error) break;
      while (isLineEnd(text[at])) {
        if (text[at] === NEWLINE) line += 1;
        at += 1;
      }
      // A quote that is open at the end of the block may be closed in the next one.
      if (error.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast && text.length - at < MAX_RECORD_BYTES) {
        rest = text.subarray(at);
        restLine = line;
        break;
      }
      if (!header) throw new OperatorError(`The first line is no list of columns: ${reasonOf(error)}.`);
      const end = text.indexOf(NEWLINE, at) + 1 || text.length;
      const value = text.toString('utf8', at, Math.min(end, at + 200)).trimEnd();
      const fields = toFields(header, cellsBefore(text.toString('utf8', at, end), delimiter));
      records.push({ line, fields, fault: { line, value, reason: reasonOf(error) } });
      line += 1;
      at = end;
    }
    if (records.length > 0) yield records;
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === NEWLINE || byte === CARRIAGE_RETURN;

/** Where the file ends in the row, its last cell may not be all of it. */
const brokenRow = (header: readonly string[], row: readonly string[], line: number, isCut: boolean): SourceRecord => {
  const reason = `has ${row.length} columns, and the first line names ${header.length}`;
  const fields = toFields(header, isCut ? row.slice(0, -1) : row);
  return { line, fields, fault: { line, reason: isCut ? `${reason}${MAY_BE_CUT}` : reason } };
};

/** The cells of a row up to the first that is not well-formed. */
const cellsBefore = (row: string, delimiter: string): string[] => {
  const cells = row.matchAll(new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}]*))[${delimiter}]`, 'gy'));
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
};

/** Excel's own way to name the delimiter: a line `sep=;` above the header. */
const skipSeparatorLine = (text: Buffer): number =>
  text
    .subarray(0, 16)
    .toString('latin1')
    .match(/^sep=.\r?\n/i)?.[0].length ?? 0;

/** The one that the first line has most of, outside quotes. */
const detectDelimiter = (text: Buffer): string => {
  const end = text.indexOf(NEWLINE);
  const names = text.toString('utf8', 0, end === -1 ? text.length : end).replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => names.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
};

/** Gives each record with the offset of its end, up to the first that is not well-formed, whose error is returned. */
const parseBlock = (
  bytes: Buffer,
  delimiter: string,
  onRow: (row: string[], end: number) => void,
): CsvError | undefined => {
  try {
    parse(bytes, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      // Spreadsheets leave rows of nothing but delimiters.
      skip_records_with_empty_values: true,
      max_record_size: MAX_RECORD_BYTES,
      on_record: (row: string[], { bytes: end }) => {
        onRow(row, end);
        return null;
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
};

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: `a quote is opened and never closed${MAY_BE_CUT}`,
  CSV_INVALID_CLOSING_QUOTE:
    'something follows a closing quote: a quote inside a quoted field must be doubled, or an earlier one is not closed',
  INVALID_OPENING_QUOTE: 'a quote stands inside a field that does not begin with one: quote the field and double it',
  CSV_MAX_RECORD_SIZE: `the record is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB`,
};

const reasonOf = ({ code, message }: CsvError): string => REASONS[code] ?? message;

const toHeader = (row: readonly string[]): string[] => {
  const header = row.map((name) => name.trim());
  const twice = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (twice) throw new OperatorError(`The first line names the column "${twice}" twice.`);
  return header;
};

const toFields = (header: readonly string[], row: readonly string[]): Record<string, Value> => {
  const fields: Record<string, Value> = Object.create(null);
  for (const [index, value] of row.entries()) {
    const name = header[index];
    if (name) fields[name] = value;
  }
  return fields;
};
