import { readFile, writeFile } from 'node:fs/promises';
import { defineCommand } from 'citty';
import { isRestricted } from '../access/access.ts';
import { readConfig } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { loadRestOperations } from '../rest/documents.ts';
import { openapiDocument } from '../rest/openapi/openapi.ts';
import { createSchema, printSdl } from '../schema.ts';

/** The options of a command that generates a text. */
export const GENERATED_FILE_ARGS = {
  write: { type: 'string', description: 'The file to write.', valueHint: 'FILE' },
  check: { type: 'string', description: 'The file to compare; exits with 1 when it differs.', valueHint: 'FILE' },
} as const;

interface Options {
  readonly write: string | undefined;
  readonly check: string | undefined;
  /** What to do if the file differs. */
  readonly differs: (file: string) => string;
}

/** Prints the text, writes it to a file, or compares it with a file. @throws OperatorError if the file differs or is not accessible */
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

export const schemaCommand = defineCommand({
  meta: { name: 'schema', description: 'Print the SDL, write it to a file, or check a file against it.' },
  args: GENERATED_FILE_ARGS,
  run: ({ args: { write, check } }) =>
    printWriteOrCheck(printSdl(createSchema(readConfig(process.env))), {
      write,
      check,
      differs: (file) => `${file} differs from the code. Run "npm run schema" and commit it.`,
    }),
});

export const openapiCommand = defineCommand({
  meta: {
    name: 'openapi',
    description:
      'Print the OpenAPI document, write it to a file, or check a file against it.\n\nAs /openapi.json, of the REST paths as REST_DOCUMENTS has them.',
  },
  args: GENERATED_FILE_ARGS,
  run: async ({ args: { write, check } }) => {
    const config = readConfig(process.env);
    const { access, queryLimits, restDocuments } = config;
    const schema = createSchema(config);
    const operations = await loadRestOperations(schema, queryLimits, restDocuments);
    const document = openapiDocument(operations, schema, { isRestricted: isRestricted(access) });
    await printWriteOrCheck(`${JSON.stringify(document, null, 2)}\n`, {
      write,
      check,
      differs: (file) => `${file} differs from the REST documents. Run "npx vitrine openapi --write ${file}".`,
    });
  },
});
