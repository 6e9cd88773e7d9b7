import { OperatorError } from '../../errors.ts';

/** What to do with a file. @param name the file's name */
type Remedy = (name: string) => string;

const giveText: Remedy = () => 'Give a file of CSV, JSON, JSON Lines or XML.';
const unpack: Remedy = () => 'Unpack it, and give the file that is inside.';
const saveAsCsv: Remedy = () => 'Save the sheet as "CSV UTF-8".';
const pipeThrough =
  (program: string): Remedy =>
  (name) =>
    `Pipe it through ${program}: ${program} -c ${name} | npx vitrine import -`;

/** The bytes at an offset, as Latin-1, by which files are known: https://en.wikipedia.org/wiki/List_of_file_signatures */
const SIGNATURES: readonly (readonly [offset: number, bytes: string, is: string, remedy: Remedy])[] = [
  [0, '\x89PNG', 'a picture (PNG)', giveText],
  [0, '\xff\xd8\xff', 'a picture (JPEG)', giveText],
  [0, 'GIF8', 'a picture (GIF)', giveText],
  [8, 'WEBP', 'a picture (WebP)', giveText],
  [4, 'ftypavif', 'a picture (AVIF)', giveText],
  [4, 'ftypheic', 'a picture (HEIC)', giveText],
  [4, 'ftyp', 'a video', giveText],
  [0, 'II*\0', 'a picture (TIFF)', giveText],
  [0, 'MM\0*', 'a picture (TIFF)', giveText],
  [0, '%PDF', 'a PDF document', giveText],
  [0, '\x1f\x8b', 'compressed (gzip)', pipeThrough('gunzip')],
  [0, 'BZh9', 'compressed (bzip2)', pipeThrough('bunzip2')],
  [0, '\xfd7zXZ', 'compressed (xz)', pipeThrough('unxz')],
  [0, '(\xb5/\xfd', 'compressed (Zstandard)', pipeThrough('unzstd')],
  [0, 'PK\x03\x04', 'a ZIP archive or a workbook', () => 'Unpack it, or save the sheet as "CSV UTF-8".'],
  [0, '\xd0\xcf\x11\xe0', 'a workbook (XLS)', saveAsCsv],
  [0, '7z\xbc\xaf', 'an archive (7z)', unpack],
  [0, 'Rar!', 'an archive (RAR)', unpack],
  [257, 'ustar', 'an archive (tar)', unpack],
  [0, 'SQLite format 3', 'a database (SQLite)', giveText],
  [0, 'PAR1', 'a table (Parquet)', giveText],
];

/** Texts that are no records, by their beginnings. */
const MARKUP: readonly (readonly [beginning: RegExp, is: string, remedy: Remedy])[] = [
  [/^\s*(?:<\?xml[^>]*>\s*)?(?:<!(?:--|DOCTYPE svg)[^>]*>\s*)*<svg[\s>]/i, 'a picture (SVG)', giveText],
  [/^\s*(?:<!doctype html|<html)[\s>]/i, 'a web page', () => 'Is it the page of a log-in? Give the file itself.'],
];

/** As far as beginnings are looked for. */
const HEAD_BYTES = 2048;

/** @throws OperatorError if the first bytes of a file show that it holds no records, but something known */
export const assertNoOtherFile = (bytes: Buffer, name: string): void => {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const [, , is, remedy] = SIGNATURES.find(([offset, start]) => head.startsWith(start, offset)) ?? [];
  if (is !== undefined && remedy) throw new OperatorError(`${name} is ${is}. ${remedy(name)}`);
  const [, markup, markupRemedy] = MARKUP.find(([beginning]) => beginning.test(head)) ?? [];
  if (markup !== undefined && markupRemedy) throw new OperatorError(`${name} is ${markup}. ${markupRemedy(name)}`);
};
