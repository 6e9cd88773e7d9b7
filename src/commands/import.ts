import { defineCommand } from 'citty';
import { withDirectUrl } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { currency as parseCurrency } from '../import/fields/amount.ts';
import { INT32_MAX, InvalidValueError, integer, type Parse } from '../import/fields/values.ts';
import { formatsOf } from '../import/formats/formats.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';
import { readEnvironment } from './environment.ts';

const FORMATS = formatsOf(IMPORT_KINDS);

const DESCRIPTION = `Load products, categories or notices from CSV, JSON or JSON Lines.

Imports into DATABASE_URL, or into the embedded database, which a running gateway may be using. An existing product or category is found by its
slug, a notice by its title (and its start, if the file has one), and updated. A column that the file does not have keeps its values.
Formats, detected from the columns:
${FORMATS.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}

Exit code 0: every row was imported. 1: some rows were rejected, and all others imported. 2: a file was not imported, or every row was rejected.`;

const EXIT = { allImported: 0, someRejected: 1, failed: 2 } as const;

export const importCommand = defineCommand({
  meta: {
    name: 'import',
    description: DESCRIPTION,
  },
  args: {
    file: { type: 'positional', valueHint: 'FILE…', description: 'Imported one after the other; - is standard input.' },
    format: {
      type: 'enum',
      options: FORMATS.map(({ name }) => name),
      valueHint: 'NAME',
      description: 'The format, if it is not detected from the columns.',
    },
    currency: { type: 'string', description: 'The currency of prices without one, such as EUR.', valueHint: 'CODE' },
    decimal: {
      type: 'enum',
      options: ['.', ','],
      valueHint: 'CHARACTER',
      description: 'What stands before the decimals of amounts; the other one may separate thousands.',
    },
    stock: {
      type: 'string',
      description: 'Pieces of new products whose stock the file does not have, or has as "in stock". Without it: 1.',
      valueHint: 'PIECES',
    },
    html: {
      type: 'enum',
      options: ['text', 'keep'],
      valueHint: 'text|keep',
      description: 'What becomes of HTML in descriptions: plain text, or what the file has.',
      default: 'text',
    },
    batch: {
      type: 'string',
      description: 'Commit after so many rows, instead of at the end of each file.',
      valueHint: 'ROWS',
    },
    'dry-run': { type: 'boolean', description: 'Do everything in a transaction, and roll it back.' },
    rejects: {
      type: 'string',
      description: 'The CSV file that lists each rejected row.',
      valueHint: 'FILE',
      default: 'rejects.csv',
    },
  },
  run: async ({ args }) => {
    const { runImport } = await import('../import/import.ts');
    const { config, log } = await readEnvironment(process.env);
    const outcome = await runImport({
      config: withDirectUrl(config),
      log,
      kinds: IMPORT_KINDS,
      paths: args._,
      format: args.format,
      currency: args.currency === undefined ? undefined : toCurrency(args.currency),
      decimal: args.decimal,
      stock: args.stock === undefined ? undefined : toPieces(args.stock),
      html: args.html,
      batchRows: args.batch === undefined ? undefined : toRows(args.batch),
      isDryRun: args['dry-run'] === true,
      rejectsPath: args.rejects,
    }).catch((error: unknown) => {
      if (error instanceof OperatorError)
        throw new OperatorError(error.message, { cause: error, exitCode: EXIT.failed });
      throw error;
    });
    process.exit(outcome.rejected === 0 ? EXIT.allImported : outcome.imported > 0 ? EXIT.someRejected : EXIT.failed);
  },
});

const toCurrency = (code: string): string => parsed('currency', parseCurrency, code);

const toPieces = (text: string): number => Number(parsed('stock', integer(0, INT32_MAX), text));

const toRows = (text: string): number => Number(parsed('batch', integer(1, 999_999_999), text));

/** @throws OperatorError if the value of an option is not valid */
const parsed = (option: string, parse: Parse, text: string): string => {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new OperatorError(`--${option} ${error.message}, but is "${text}".`, { exitCode: EXIT.failed });
  }
};
