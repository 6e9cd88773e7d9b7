import { Parser } from 'htmlparser2';
import { OperatorError } from '../../errors.ts';
import type { SourceRecord, Value } from '../record.ts';
import { MAX_RECORD_BYTES, MAY_BE_CUT, type TextBlock } from './text.ts';

/** The elements that are records: those of RSS, of Atom, and a usual one. */
const RECORD_ELEMENTS = new Set(['item', 'entry', 'product']);

/** Elements of Google's feeds that hold elements. In others, such as a description, these are markup in a text. */
const NESTED = new Set(['product_detail', 'variant_option']);

interface OpenRecord {
  readonly line: number;
  /** How many elements it is in, itself included. */
  readonly depth: number;
  readonly name: string;
  readonly fields: Record<string, Value>;
  /** The elements in the one that is open now. */
  inner: Record<string, Value>;
  characters: number;
  fault?: string;
}

/**
 * The records of an XML feed, with the texts of their child elements under the names without a prefix: `<g:price>` is `price`. An element that
 * is repeated is a list. The parser accepts what is not well-formed and tells of it, so that a broken record costs no other. It expands no
 * entities of a document's own.
 * @throws OperatorError if there is no record
 */
export async function* readXml(
  blocks: AsyncIterable<TextBlock>,
  sourceName: string,
): AsyncGenerator<SourceRecord[], void> {
  const open: string[] = [];
  let records: SourceRecord[] = [];
  let hasRecords = false;
  let record: OpenRecord | undefined;
  let text = '';
  // Indexes of the parser count from the beginning of the file.
  let blockStart = 0;
  let countedTo = 0;
  let block = '';
  let line = 1;

  const lineOf = (index: number): number => {
    // A tag may begin in an earlier block.
    const end = Math.max(countedTo, index - blockStart);
    line += block.slice(countedTo, end).split('\n').length - 1;
    countedTo = end;
    return line;
  };

  const finish = (reason = record?.fault): void => {
    if (!record) return;
    const { line: start, fields } = record;
    records.push({ line: start, fields, ...(reason !== undefined && { fault: { line: start, reason } }) });
    hasRecords = true;
    record = undefined;
  };

  const parser: Parser = new Parser(
    {
      onopentag: (prefixed) => {
        const name = withoutPrefix(prefixed);
        if (record?.name === name) {
          open.length = record.depth - 1;
          finish(`has no end: </${prefixed}> is missing`);
        }
        open.push(name);
        if (!record && RECORD_ELEMENTS.has(name)) {
          const line = lineOf(parser.startIndex);
          record = { line, depth: open.length, name, fields: Object.create(null), inner: {}, characters: 0 };
        } else if (record && open.length === record.depth + 1) {
          text = '';
          record.inner = {};
        } else if (record && NESTED.has(open[record.depth] ?? '')) text = '';
      },
      ontext: (part) => {
        if (!record) return;
        record.characters += part.length;
        if (record.characters > MAX_RECORD_BYTES) record.fault = `is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB`;
        else text += part;
      },
      onclosetag: (prefixed, isImplied) => {
        const name = withoutPrefix(prefixed);
        open.pop();
        if (!record) return;
        if (isImplied) record.fault ??= `is not well-formed: <${prefixed}> has no end`;
        if (open.length === record.depth + 1 && NESTED.has(open[record.depth] ?? '')) record.inner[name] = text.trim();
        if (open.length === record.depth) {
          const value = NESTED.has(name) ? record.inner : text.trim();
          const earlier = record.fields[name];
          if (earlier === undefined) record.fields[name] = value;
          else record.fields[name] = [...(Array.isArray(earlier) ? earlier : [earlier]), value];
          text = '';
        } else if (open.length < record.depth) finish();
      },
    },
    { xmlMode: true },
  );

  for await (const { bytes, line: firstLine, isLast } of blocks) {
    blockStart += block.length;
    block = bytes.toString('utf8');
    countedTo = 0;
    line = firstLine;
    parser.write(block);
    if (isLast) {
      const isCut = open.length > 0;
      if (record) finish(`does not end${MAY_BE_CUT}`);
      else if (isCut && hasRecords) {
        const end = lineOf(blockStart + block.length);
        records.push({ line: end, fields: {}, fault: { line: end, reason: `the feed does not end${MAY_BE_CUT}` } });
      }
      parser.end();
    }
    if (records.length > 0) yield records;
    records = [];
  }
  if (!hasRecords)
    throw new OperatorError(`${sourceName} has no <item>, <entry> or <product>: give a feed of products.`);
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);
