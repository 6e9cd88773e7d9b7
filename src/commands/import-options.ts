import { parseArgs } from 'node:util';
import type { ArgsDef, ParsedArgs } from 'citty';
import { OperatorError } from '../errors.ts';
import { currency } from '../import/fields/amount.ts';
import { categoryPath, splitPath } from '../import/fields/category-path.ts';
import { INT32_MAX, InvalidValueError, integer, type Parse } from '../import/fields/values.ts';
import { formatsOf, parseMapping } from '../import/formats/formats.ts';
import type { RunOptions } from '../import/import.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';

export const FORMATS = formatsOf(IMPORT_KINDS);

export const importArgs = {
  file: {
    type: 'positional',
    // A template may be written to the output.
    required: false,
    valueHint: 'FILE…',
    description: 'Imported one after the other; - is standard input.',
  },
  format: {
    type: 'enum',
    options: FORMATS.map(({ name }) => name),
    valueHint: 'NAME',
    description: 'The format, if it is not detected from the columns.',
  },
  map: {
    type: 'string',
    valueHint: 'COLUMN=THEIRS,…',
    description: 'Columns that the file names in another way, such as name=title; may be repeated. name= reads none.',
  },
  'header-line': {
    type: 'string',
    valueHint: 'LINE',
    description: 'The line of a CSV that names its columns, if it is not the first.',
  },
  'list-separator': {
    type: 'string',
    valueHint: 'TEXT',
    description:
      'What stands between tags, pictures or several categories in a cell; of categories the deepest counts.',
  },
  'path-separator': {
    type: 'string',
    valueHint: 'TEXT',
    description: 'What stands between the names of a way to a category.',
    default: '>',
  },
  key: {
    type: 'enum',
    options: ['slug', 'sku', 'id'],
    valueHint: 'slug|sku|id',
    description: 'The column that finds an existing product; sku is a number of your own.',
    default: 'slug',
  },
  currency: { type: 'string', valueHint: 'CODE', description: 'The currency of prices without one, such as EUR.' },
  category: {
    type: 'string',
    valueHint: 'PATH',
    description: 'The category of new products whose file names none, such as "Kitchen > Pans".',
  },
  decimal: {
    type: 'enum',
    options: ['.', ','],
    valueHint: 'CHARACTER',
    description: 'What stands before the decimals of amounts; the other one may separate thousands.',
  },
  stock: {
    type: 'string',
    valueHint: 'PIECES',
    description: 'Pieces of new products whose stock the file does not have, or has as "in stock". Without it: 1.',
  },
  html: {
    type: 'enum',
    options: ['text', 'keep'],
    valueHint: 'text|keep',
    description: 'What becomes of HTML in descriptions: plain text, or what the file has.',
    default: 'text',
  },
  'german-slugs': {
    type: 'boolean',
    description: 'Write ä, ö, ü and ß as ae, oe, ue and ss in slugs that are made from names.',
  },
  prune: {
    type: 'boolean',
    description:
      'Take products off sale that no file has; all files are one transaction. Asks if these are more than a fifth.',
  },
  yes: { type: 'boolean', description: 'Let --prune go on without a question, also if rows were rejected.' },
  batch: {
    type: 'string',
    valueHint: 'ROWS',
    description: 'Commit after so many rows, instead of at the end of each file.',
  },
  'dry-run': { type: 'boolean', description: 'Do everything in a transaction, and roll it back.' },
  rejects: {
    type: 'string',
    valueHint: 'FILE',
    description: 'The CSV file that lists each rejected row.',
    default: 'rejects.csv',
  },
  template: {
    type: 'boolean',
    description: "Write an example of Vitrine's own format to FILE, which must be new, or to the output.",
  },
} as const satisfies ArgsDef;

type Given = ParsedArgs<typeof importArgs>;

/** @throws OperatorError if the value of an option is not valid */
export const readOptions = (args: Given, rawArgs: readonly string[]): Omit<RunOptions, 'config' | 'log'> => ({
  kinds: IMPORT_KINDS,
  paths: args._,
  format: args.format,
  map: parseMapping(valuesOf('map', rawArgs)),
  key: args.key,
  currency: parsed('currency', currency, args.currency),
  category: categoryFrom(args),
  decimal: args.decimal,
  stock: numberOf('stock', args.stock, 0, INT32_MAX),
  html: args.html,
  headerLine: numberOf('header-line', args['header-line'], 1, 999_999_999),
  listSeparator: args['list-separator'],
  pathSeparator: args['path-separator'],
  germanSlugs: args['german-slugs'] === true,
  batchRows: numberOf('batch', args.batch, 1, 999_999_999),
  isDryRun: args['dry-run'] === true,
  isPruning: args.prune === true,
  isAgreed: args.yes === true,
  rejectsPath: args.rejects,
});

const numberOf = (option: string, text: string | undefined, min: number, max: number): number | undefined => {
  const number = parsed(option, integer(min, max), text);
  return number === undefined ? undefined : Number(number);
};

/** The way to a category, as a list of names in JSON, which no separator of the files splits. */
const categoryFrom = (args: Given): string | undefined => {
  if (args.category === undefined) return undefined;
  const names = JSON.stringify(splitPath(args.category, { pathSeparator: args['path-separator'] }));
  try {
    categoryPath(names);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new OperatorError(`--category ${error.message}, but is "${args.category}".`);
  }
  return names;
};

const parsed = (option: string, parse: Parse, text: string | undefined): string | undefined => {
  try {
    return text === undefined ? undefined : parse(text);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new OperatorError(`--${option} ${error.message}, but is "${text}".`);
  }
};

/** Every value of an option that may be repeated; citty has the last one only. */
const valuesOf = (name: string, rawArgs: readonly string[]): string[] => {
  const options = Object.fromEntries(
    Object.entries(importArgs).map(([option, { type }]) => [
      option,
      { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...rawArgs], options, strict: false, allowPositionals: true, tokens: true });
  return tokens.flatMap((token) => (token.kind === 'option' && token.name === name ? [token.value ?? ''] : []));
};
