import { defineCommand } from 'citty';
import { readConfig, secretsOf } from '../config/config.ts';
import { withDirectUrl } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { InvalidValueError, currency as parseCurrency } from '../import/fields/values.ts';
import { formatsOf } from '../import/formats/formats.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';
import { createLog } from '../observability/log.ts';

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
    const config = withDirectUrl(readConfig(process.env));
    const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });
    const outcome = await runImport({
      config,
      log,
      kinds: IMPORT_KINDS,
      paths: args._,
      format: args.format,
      currency: args.currency === undefined ? undefined : toCurrency(args.currency),
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

const toCurrency = (code: string): string => {
  try {
    return parseCurrency(code);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new OperatorError(`--currency ${error.message}, but is "${code}".`, { exitCode: EXIT.failed });
  }
};

const toRows = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new OperatorError(`--batch must be a number of rows, such as 10000, but is "${text}".`, {
    exitCode: EXIT.failed,
  });
};
