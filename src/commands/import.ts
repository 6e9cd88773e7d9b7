import { writeFile } from 'node:fs/promises';
import { defineCommand } from 'citty';
import { withDirectUrl } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { templateOf } from '../import/formats/native.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';
import { usageError } from './arguments.ts';
import { readEnvironment } from './environment.ts';
import { FORMATS, importArgs, readOptions } from './import-options.ts';

const DESCRIPTION = `Load products, categories or notices from CSV, JSON, JSON Lines or XML.

Imports into DATABASE_URL, or into the embedded database, which a running gateway may be using. An existing product or category is found by its
slug or by --key, a notice by its title (and its start, if the file has one), and updated. A column that the file does not have keeps its values.
Formats, detected from the columns:
${FORMATS.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}

Exit code 0: every row was imported. 1: some rows were rejected, and all others imported. 2: a file was not imported, or every row was rejected.`;

const EXIT = { allImported: 0, someRejected: 1, failed: 2 } as const;

export const importCommand = defineCommand({
  meta: {
    name: 'import',
    description: DESCRIPTION,
  },
  args: importArgs,
  run: async ({ args, rawArgs }) => {
    try {
      if (args.template) await writeTemplate(args._, templateOf(IMPORT_KINDS, args.format ?? 'products'));
      else process.exit(await importFiles(readOptions(args, rawArgs)));
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      throw new OperatorError(error.message, { cause: error, exitCode: EXIT.failed });
    }
  },
});

/** @returns the exit code */
const importFiles = async (options: ReturnType<typeof readOptions>): Promise<number> => {
  if (options.paths.length === 0) throw usageError('Which file? Run "vitrine import --help".');
  const { runImport } = await import('../import/import.ts');
  const { config, log } = await readEnvironment(process.env);
  const { rejected, imported } = await runImport({ ...options, config: withDirectUrl(config), log });
  if (rejected === 0) return EXIT.allImported;
  return imported > 0 ? EXIT.someRejected : EXIT.failed;
};

const writeTemplate = async ([path, ...others]: readonly string[], text: string): Promise<void> => {
  if (others.length > 0) throw usageError('--template takes one file.');
  if (path === undefined) return void process.stdout.write(text);
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new OperatorError(`${path} exists, and is kept: name another file.`) : error;
  });
};
