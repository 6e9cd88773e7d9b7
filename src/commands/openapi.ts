import { readFile, writeFile } from 'node:fs/promises';
import { defineCommand } from 'citty';
import { readConfig } from '../config.ts';
import { OperatorError } from '../errors.ts';
import { schema } from '../graphql/schema.ts';
import { loadRestOperations } from '../rest/documents.ts';
import { openapiDocument } from '../rest/openapi.ts';

export const openapiCommand = defineCommand({
  meta: {
    name: 'openapi',
    description:
      'Print the OpenAPI document, write it to a file, or check a file against it.\n\nAs /openapi.json, of the REST paths as REST_DOCUMENTS has them.',
  },
  args: {
    write: { type: 'string', description: 'The file to write.', valueHint: 'FILE' },
    check: { type: 'string', description: 'The file to compare; exits with 1 when it differs.', valueHint: 'FILE' },
  },
  run: async ({ args: { write, check } }) => {
    const { queryLimits, restDocuments } = readConfig(process.env);
    const operations = await loadRestOperations(schema, queryLimits, restDocuments);
    const text = `${JSON.stringify(openapiDocument(operations, schema), null, 2)}\n`;
    if (write) await writeFile(write, text).catch(refuse(write));
    else if (!check) process.stdout.write(text);
    else if ((await readFile(check, 'utf8').catch(refuse(check))) !== text) {
      throw new OperatorError(`${check} differs from the REST documents. Run "npx vitrine openapi --write ${check}".`);
    }
  },
});

const refuse =
  (file: string) =>
  (error: Error): never => {
    throw new OperatorError(`${file} cannot be used: ${error.message}`);
  };
