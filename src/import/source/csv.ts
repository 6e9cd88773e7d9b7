import { CsvError, parse } from 'csv-parse/sync';
import { OperatorError } from '../../errors.ts';
import type { ReadOptions } from '../options.ts';
import type { SourceRecord, Value } from '../record.ts';
import { type BlockReader, CARRIAGE_RETURN, countNewlines, MAX_RECORD_BYTES, MAY_BE_CUT, NEWLINE } from './text.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * The records of a CSV file (RFC 4180), with the fields that its first row names, or the first row from a later line on. csv-parse reads a
 * whole block at once. After a record that is not well-formed, reading continues on the next line, so that a forgotten quote costs one row.
 * @throws OperatorError if the first row is not well-formed, or names a column twice
 */
export const csvReader = (sourceName: string, { headerLine = 1 }: ReadOptions): BlockReader => {
  let header: string[] | undefined;
  let delimiter = ',';
  let line = 1;
  let text: Buffer = Buffer.alloc(0);
  let at = 0;

  return ({ bytes, isLast }) => {
    text = at === text.length ? bytes : Buffer.concat([text.subarray(at), bytes]);
    at = 0;
    const isUnterminated = isLast && text.length > 0 && !isLineEnd(text.at(-1));
    const records: SourceRecord[] = [];

    const advance = (to: number): void => {
      line += countNewlines(text, at, to);
      at = to;
    };
    const skipLineEnds = (): void => {
      let to = at;
      while (isLineEnd(text[to])) to += 1;
      advance(to);
    };
    const takeRow = (row: string[], end: number): void => {
      skipLineEnds();
      // Spreadsheets leave rows of nothing but delimiters.
      if (row.some((cell) => cell.trim() !== '')) {
        if (header) records.push(toRecord(header, row, line, isUnterminated && end === text.length));
        else header = toHeader(row, sourceName);
      }
      advance(end);
    };

    if (!header) {
      while (line < headerLine && at < text.length) advance(text.indexOf(NEWLINE, at) + 1 || text.length);
      delimiter = detectDelimiter(text.subarray(at));
    }
    while (at < text.length) {
      const from = at;
      const error = parseRows(text.subarray(from), delimiter, (row, end) => takeRow(row, from + end));
      if (!error) {
        advance(text.length);
        break;
      }
      skipLineEnds();
      // A quote that is open at the end of a block may be closed in the next one.
      if (error.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast && text.length - at < MAX_RECORD_BYTES) break;
      if (!header) throw new OperatorError(`${sourceName}, line ${line}, is no list of columns: ${reasonOf(error)}.`);
      const end = text.indexOf(NEWLINE, at) + 1 || text.length;
      const row = delimiter === '\t' ? rowWithQuotes(text.subarray(at, end)) : undefined;
      if (row?.length === header.length) {
        takeRow(row, end);
        continue;
      }
      const value = text.toString('utf8', at, Math.min(end, at + 200)).trimEnd();
      const fields = toFields(header, cellsBeforeError(text.toString('utf8', at, end), delimiter));
      records.push({ line, fields, fault: { value, reason: reasonOf(error) } });
      advance(end);
    }
    return records;
  };
};

const isLineEnd = (byte: number | undefined): boolean => byte === NEWLINE || byte === CARRIAGE_RETURN;

/** Calls back with each row and the offset of its end, up to the first that is not well-formed, whose error is returned. */
const parseRows = (
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

/** Spreadsheets quote nothing in a table with tabs, so that a quote inside a cell is a letter: `24" pan`. Undefined if one stays open. */
const rowWithQuotes = (line: Buffer): string[] | undefined => {
  try {
    return parse(line, { delimiter: '\t', relax_column_count: true, relax_quotes: true })[0];
  } catch {
    return undefined;
  }
};

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: `has a quote that is opened and never closed${MAY_BE_CUT}`,
  CSV_INVALID_CLOSING_QUOTE:
    'has text after a closing quote: double each quote inside a quoted field, or close an earlier quote',
  INVALID_OPENING_QUOTE:
    'has a quote inside a field without quotes: put the field in quotes, and double the inner quote',
  CSV_MAX_RECORD_SIZE: `is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB: a closing quote may be missing`,
};

const reasonOf = ({ code, message }: CsvError): string => REASONS[code] ?? message;

const toHeader = (row: readonly string[], sourceName: string): string[] => {
  const header = row.map((name) => name.trim());
  const repeated = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (repeated) throw new OperatorError(`${sourceName} names the column "${repeated}" twice: rename one of the two.`);
  return header;
};

/** @param endsFile whether the file ends in this row, whose last cell may then be cut */
const toRecord = (header: readonly string[], row: readonly string[], line: number, endsFile: boolean): SourceRecord => {
  // Some programs end each row with a delimiter.
  const isWhole = row.length >= header.length && row.slice(header.length).every((cell) => cell.trim() === '');
  if (isWhole) return { line, fields: toFields(header, row) };
  const isCut = endsFile && row.length < header.length;
  const reason = `has ${row.length} columns, but the first row names ${header.length}${isCut ? MAY_BE_CUT : ''}`;
  return { line, fields: toFields(header, isCut ? row.slice(0, -1) : row), fault: { reason } };
};

const toFields = (header: readonly string[], row: readonly string[]): Record<string, Value> => {
  const fields: Record<string, Value> = Object.create(null);
  for (const [index, value] of row.entries()) {
    const name = header[index];
    if (name) fields[name] = value;
  }
  return fields;
};

const cellsBeforeError = (row: string, delimiter: string): string[] => {
  const cells = row.matchAll(new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}]*))[${delimiter}]`, 'gy'));
  return [...cells].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
};

/** The one that occurs most often in the first line, outside quotes. */
const detectDelimiter = (text: Buffer): string => {
  const end = text.indexOf(NEWLINE);
  const names = text.toString('utf8', 0, end === -1 ? text.length : end).replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => names.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
};
