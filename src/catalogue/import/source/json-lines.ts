import type { Fault, SourceRecord } from '../value.ts';
import { isObject, parseJson, syntaxReason } from './json-text.ts';
import { NEWLINE, type TextBlock } from './lines.ts';

/** The records of JSON Lines (https://jsonlines.org): each line is an object, and a line that is none costs no other. */
export async function* readJsonLines(
  blocks: AsyncIterable<TextBlock>,
  onFault: (fault: Fault) => void,
): AsyncGenerator<SourceRecord[], void> {
  for await (const { bytes, line: firstLine } of blocks) {
    const records: SourceRecord[] = [];
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const end = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
      const text = bytes.toString('utf8', start, end).trim();
      start = end;
      if (text === '') continue;
      try {
        const fields = parseJson(text);
        if (isObject(fields)) records.push({ line, fields });
        else onFault({ line, value: text, reason: 'is not an object' });
      } catch (error) {
        onFault({ line, value: text, reason: syntaxReason(error) });
      }
    }
    if (records.length > 0) yield records;
  }
}
