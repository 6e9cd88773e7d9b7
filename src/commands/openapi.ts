import { defineCommand } from 'citty';
import { readConfig } from '../config.ts';
import { schema } from '../graphql/schema.ts';
import { loadRestOperations } from '../rest/documents.ts';
import { openapiDocument } from '../rest/openapi.ts';
import { GENERATED_FILE_ARGS, printWriteOrCheck } from './generated-file.ts';

export const openapiCommand = defineCommand({
  meta: {
    name: 'openapi',
    description:
      'Print the OpenAPI document, write it to a file, or check a file against it.\n\nAs /openapi.json, of the REST paths as REST_DOCUMENTS has them.',
  },
  args: GENERATED_FILE_ARGS,
  run: async ({ args: { write, check } }) => {
    const { queryLimits, restDocuments } = readConfig(process.env);
    const operations = await loadRestOperations(schema, queryLimits, restDocuments);
    await printWriteOrCheck(`${JSON.stringify(openapiDocument(operations, schema), null, 2)}\n`, {
      write,
      check,
      differs: (file) => `${file} differs from the REST documents. Run "npx vitrine openapi --write ${file}".`,
    });
  },
});
