import { readFileSync } from 'node:fs';
import type { SourceRecord } from '../record.ts';
import { plainName } from './format.ts';

/**
 * What WooCommerce's translations into German, French, Spanish and Dutch call the columns, in several versions of them, with one of our columns
 * on each line: that, and its other names, which may have a number in the place of `#`. The export names its columns in the language of the
 * person who exports; the cells are the same in all languages.
 */
const TRANSLATIONS = new URL('woocommerce-languages.txt', import.meta.url);

/** Our column by each of its other names. */
const readTranslations = (): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(TRANSLATIONS, 'utf8')
      .split(/\r?\n/)
      .map((line) => line.split('|'))
      .flatMap(([column = '', ...names]) => names.map((name) => [plainName(name), column] as const)),
  );

/** Columns that other files do not have under these names. */
const OWN = ['Visibility in catalog', 'Date sale price starts', 'Regular price'];

/** What has to be known of a file in a language that is not here. */
const NEEDED = ['Name', 'Regular price'];

/** The cells of the column `Type`, in every language. */
const TYPES = /^(?:simple|variable|variation|grouped|external)(?:, (?:virtual|downloadable))*$/;

/**
 * How to read WooCommerce's export in another language than English: the options, which name its columns.
 * @param isKnown whether another format recognises the file, so that its types alone prove nothing
 * @returns undefined if the file is no such export
 */
export const adviceOnLanguage = (
  head: readonly SourceRecord[],
  columns: readonly string[],
  isKnown: boolean,
): string | undefined => {
  const columnOf = readTranslations();
  const found = new Map<string, string>();
  for (const column of columns) {
    const [number = ''] = /\d+/.exec(column) ?? [];
    const ours = columnOf.get(plainName(column.replace(number, '')))?.replace('#', number);
    if (ours !== undefined && !found.has(ours)) found.set(ours, column);
  }
  const cellsAre = (pattern: RegExp, column = ''): boolean[] =>
    head.map(({ fields }) => pattern.test(String(fields[column])));
  if (found.size >= 3 && OWN.some((column) => found.has(column))) {
    const decimal = cellsAre(/^\d+,\d{1,2}$/, found.get('Regular price')).includes(true) ? ' --decimal ,' : '';
    return `It is read with\n${optionsOf(found, decimal)}`;
  }
  const type = columns.find((column) => !cellsAre(TYPES, column).includes(false));
  if (isKnown || type === undefined || !columns.some((column) => plainName(column) === 'id')) return undefined;
  for (const column of NEEDED) if (!found.has(column)) found.set(column, '…');
  const options = optionsOf(found.set('Type', type));
  return `Export it in English, or say in the place of each … which column it is, and which others there are:\n${options}`;
};

const optionsOf = (columns: ReadonlyMap<string, string>, decimal = ''): string =>
  `--format woocommerce${decimal} --map "${[...columns].map((pair) => pair.join('=')).join(',')}"`;
