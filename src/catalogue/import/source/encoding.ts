import { isUtf8 } from 'node:buffer';
import { OperatorError } from '../../../errors.ts';

const startsWith = (bytes: Buffer, ...prefix: number[]): boolean => prefix.every((byte, at) => bytes[at] === byte);

/** The head without the mark that some programs begin a UTF-8 file with. @throws OperatorError where the file is no UTF-8 text */
export const withoutMark = (head: Buffer, name: string): Buffer => {
  if (startsWith(head, 0x1f, 0x8b)) {
    throw new OperatorError(`${name} is compressed. Unpack it on the way: gunzip -c ${name} | npx vitrine import -`);
  }
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) {
    throw new OperatorError(`${name} is a ZIP archive or a workbook. Unpack it, or save the sheet as "CSV UTF-8".`);
  }
  if (startsWith(head, 0xff, 0xfe) || startsWith(head, 0xfe, 0xff) || head.subarray(0, 1024).includes(0)) {
    throw new OperatorError(`${name} is not UTF-8: it looks like UTF-16. ${hint('UTF-16', name)}`);
  }
  return startsWith(head, 0xef, 0xbb, 0xbf) ? head.subarray(3) : head;
};

/**
 * @param text whole lines
 * @param line that the text begins with
 * @throws OperatorError where it is no UTF-8, naming the first such line: a guess would put wrong letters into the shop
 */
export const assertUtf8 = (text: Buffer, name: string, line: number): void => {
  if (isUtf8(text)) return;
  let at = line;
  for (let start = 0; start < text.length; at += 1) {
    const end = text.indexOf(0x0a, start) + 1 || text.length;
    const bytes = text.subarray(start, end);
    if (!isUtf8(bytes)) {
      const word = bytes
        .toString('latin1')
        .match(/[\x20-\x7e]*[\x80-\xff][\x20-\xff]*/)?.[0]
        .slice(0, 40);
      throw new OperatorError(
        `${name}, line ${at}, is not UTF-8: "${word}" if read as Latin-1. ${hint('WINDOWS-1252', name)}`,
      );
    }
    start = end;
  }
};

const hint = (encoding: string, name: string): string =>
  `Convert it: iconv -f ${encoding} -t UTF-8 ${name === 'standard input' ? '' : `${name} `}> utf8-file`;
