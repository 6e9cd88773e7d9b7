import { withDirectUrl } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { categoryPath, namesOf } from '../import/fields/lists.ts';
import { InvalidValueError } from '../import/fields/parse.ts';
import { currency } from '../import/fields/price.ts';
import { count, integer } from '../import/fields/values.ts';
import { formatsOf, parseMapping } from '../import/formats/formats.ts';
import type { RunOptions } from '../import/import.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';
import { Languages } from '../language/languages.ts';
import { defineCommand, type Option, type OptionValues, readEnvironment } from './commands.ts';

const FORMATS = formatsOf(IMPORT_KINDS);

const DESCRIPTION = `Load products, their variants, categories, notices or what terms are called from CSV, JSON, JSON Lines or XML.

Imports into DATABASE_URL, or into the embedded database, which a running gateway may be using. An existing product or category is found by its
slug or by --key, a notice by its title (and its start, if the file has one), and updated. A column that the file does not have keeps its values.
Formats, detected from the columns:
${FORMATS.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}

Exit code 0: every row was imported. 1: some rows were rejected, and all others imported. 2: a file was not imported, or every row was rejected.`;

const text = (valueHint: string, description: string) => ({ type: 'string', valueHint, description }) as const;
const flag = (description: string) => ({ type: 'boolean', description }) as const;
const choice = <const Options extends string[]>(options: Options, valueHint: string, description: string) =>
  ({ type: 'string', choices: options, valueHint, description }) as const;

const importOptions = {
  format: choice(
    FORMATS.map(({ name }) => name),
    'NAME',
    'The format, if it is not detected from the columns.',
  ),
  map: {
    ...text(
      'COLUMN=THEIRS,…',
      'Columns that the file names in another way, such as name=title; may be repeated. name= reads none.',
    ),
    multiple: true,
  },
  'header-line': text('LINE', 'The line of a CSV that names its columns, if it is not the first.'),
  record: text('ELEMENT', 'The element of an XML file that is a record, if it is not item, entry or product.'),
  'list-separator': text(
    'TEXT',
    'What stands between tags, pictures or several categories in a cell; of categories the deepest counts.',
  ),
  'path-separator': { ...text('TEXT', 'What stands between the names of a way to a category.'), default: '>' },
  key: {
    ...choice(['slug', 'sku'], 'slug|sku', 'The column that finds an existing product; sku is a number of your own.'),
    default: 'slug',
  },
  currency: text('CODE', 'The currency of prices without one, such as EUR.'),
  category: text('PATH', 'The category of new products whose file names none, such as "Kitchen > Pans".'),
  decimal: choice(
    ['.', ','],
    'CHARACTER',
    'What stands before the decimals of amounts; the other one may separate thousands.',
  ),
  stock: text(
    'PIECES',
    'Pieces of new products whose stock the file does not have, or has as "in stock". Without it: 1.',
  ),
  html: {
    ...choice(['text', 'keep'], 'text|keep', 'What becomes of HTML in descriptions: plain text, or what the file has.'),
    default: 'text',
  },
  prune: flag(
    'Take products off sale, and delete variants, that no file has; all files are one transaction. More than a fifth need --yes.',
  ),
  yes: flag('Let --prune take more than a fifth, also if rows were rejected.'),
  'dry-run': flag('Do everything in a transaction, and roll it back.'),
  rejects: { ...text('FILE', 'The CSV file that lists each rejected row.'), default: 'rejects.csv' },
} as const satisfies Readonly<Record<string, Option>>;

const EXIT = { allImported: 0, someRejected: 1, failed: 2 } as const;

export const importCommand = defineCommand({
  description: DESCRIPTION,
  files: { valueHint: 'FILE…', description: 'Imported one after the other; - is standard input.' },
  options: importOptions,
  run: async (options, paths) => {
    try {
      process.exit(await importFiles({ ...readOptions(options), paths }));
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      throw new OperatorError(error.message, { cause: error, exitCode: EXIT.failed });
    }
  },
});

/** @returns the exit code */
const importFiles = async (options: Omit<RunOptions, 'config' | 'log'>): Promise<number> => {
  const { runImport } = await import('../import/import.ts');
  const { config, log } = await readEnvironment(process.env);
  const languages = new Languages(config.languages);
  const { rejected, imported } = await runImport({ ...options, languages, config: withDirectUrl(config), log });
  if (rejected === 0) return EXIT.allImported;
  return imported > 0 ? EXIT.someRejected : EXIT.failed;
};

const LINES = integer(1, 999_999_999);

/** @throws OperatorError if the value of an option is not valid */
const readOptions = (args: OptionValues<typeof importOptions>): Omit<RunOptions, 'config' | 'log' | 'paths'> => {
  const parsed = <Read>(name: 'currency' | 'category' | 'stock' | 'header-line', parse: (text: string) => Read) => {
    const text = args[name];
    try {
      return text === undefined ? undefined : parse(text);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      throw new OperatorError(`--${name} ${error.message}, but is "${text}".`);
    }
  };
  return {
    kinds: IMPORT_KINDS,
    format: args.format,
    map: parseMapping(args.map ?? []),
    // What has `choices` is one of them.
    key: args.key as RunOptions['key'],
    currency: parsed('currency', currency),
    // As a list of names in JSON, which no separator of the files splits.
    category: parsed('category', (text) => {
      const names = JSON.stringify(namesOf(text, { pathSeparator: args['path-separator'] }));
      categoryPath(names);
      return names;
    }),
    decimal: args.decimal as RunOptions['decimal'],
    stock: parsed('stock', (text) => Number(count(text))),
    html: args.html as RunOptions['html'],
    headerLine: parsed('header-line', (text) => Number(LINES(text))),
    record: args.record,
    listSeparator: args['list-separator'],
    pathSeparator: args['path-separator'],
    isDryRun: args['dry-run'] === true,
    isPruning: args.prune === true,
    isAgreed: args.yes === true,
    rejectsPath: args.rejects,
  };
};
