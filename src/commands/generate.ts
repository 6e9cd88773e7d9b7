import { readFile, writeFile } from 'node:fs/promises';
import { defineCommand } from 'citty';
import { isRestricted } from '../access/access.ts';
import { type Config, readConfig } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { loadRestOperations } from '../rest/documents.ts';
import { openapiDocument } from '../rest/openapi/openapi.ts';
import { createSchema, printSdl } from '../schema.ts';

/**
 * A command that prints a text, writes it to a file, or compares it with a file.
 * @param differs what to say of a file that differs
 */
const generating = (
  name: string,
  description: string,
  generate: (config: Config) => string | Promise<string>,
  differs: (file: string) => string,
) =>
  defineCommand({
    meta: { name, description },
    args: {
      write: { type: 'string', description: 'The file to write.', valueHint: 'FILE' },
      check: { type: 'string', description: 'The file to compare; exits with 1 when it differs.', valueHint: 'FILE' },
    },
    run: async ({ args: { write, check } }) => {
      const text = await generate(readConfig(process.env));
      if (write) await writeFile(write, text).catch(refuse(write));
      else if (!check) process.stdout.write(text);
      else if ((await readFile(check, 'utf8').catch(refuse(check))) !== text) throw new OperatorError(differs(check));
    },
  });

const refuse =
  (file: string) =>
  (error: Error): never => {
    throw new OperatorError(`${file} cannot be used: ${error.message}`);
  };

export const schemaCommand = generating(
  'schema',
  'Print the SDL, write it to a file, or check a file against it.',
  () => printSdl(createSchema()),
  (file) => `${file} differs from the code. Run "npm run schema" and commit it.`,
);

export const openapiCommand = generating(
  'openapi',
  'Print the OpenAPI document, write it to a file, or check a file against it.\n\nAs /openapi.json, of the REST paths as REST_DOCUMENTS has them.',
  async (config) => {
    const schema = createSchema();
    const operations = await loadRestOperations(schema, config.queryLimits, config.restDocuments);
    const document = openapiDocument(operations, schema, { isRestricted: isRestricted(config.access) });
    return `${JSON.stringify(document, null, 2)}\n`;
  },
  (file) => `${file} differs from the REST documents. Run "npx vitrine openapi --write ${file}".`,
);
