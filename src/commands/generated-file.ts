import { readFile, writeFile } from 'node:fs/promises';
import { OperatorError } from '../errors.ts';

/** The options of a command that makes a text. */
export const GENERATED_FILE_ARGS = {
  write: { type: 'string', description: 'The file to write.', valueHint: 'FILE' },
  check: { type: 'string', description: 'The file to compare; exits with 1 when it differs.', valueHint: 'FILE' },
} as const;

interface Options {
  readonly write: string | undefined;
  readonly check: string | undefined;
  /** What to do about a file that differs. */
  readonly differs: (file: string) => string;
}

/** Prints the text, writes it to a file, or compares a file with it. @throws OperatorError where that differs or cannot be used */
export const printWriteOrCheck = async (text: string, { write, check, differs }: Options): Promise<void> => {
  if (write) await writeFile(write, text).catch(refuse(write));
  else if (!check) process.stdout.write(text);
  else if ((await readFile(check, 'utf8').catch(refuse(check))) !== text) throw new OperatorError(differs(check));
};

const refuse =
  (file: string) =>
  (error: Error): never => {
    throw new OperatorError(`${file} cannot be used: ${error.message}`);
  };
