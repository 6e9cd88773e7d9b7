import { isRestricted } from '../access/access.ts';
import { readConfig } from '../config/config.ts';
import { loadRestOperations } from '../rest/documents.ts';
import { openapiDocument } from '../rest/openapi/openapi.ts';
import { createSchema, printSdl } from '../schema.ts';
import { defineCommand } from './commands.ts';

export const schemaCommand = defineCommand({
  description: 'Print the SDL.',
  run: async () => {
    process.stdout.write(printSdl(createSchema()));
  },
});

export const openapiCommand = defineCommand({
  description: 'Print the OpenAPI document.\n\nAs /openapi.json, of the REST paths as REST_DOCUMENTS has them.',
  run: async () => {
    const config = readConfig(process.env);
    const schema = createSchema();
    const operations = await loadRestOperations(schema, config.queryLimits, config.restDocuments);
    const { access, languages } = config;
    const document = openapiDocument(operations, schema, { isRestricted: isRestricted(access), languages });
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  },
});
