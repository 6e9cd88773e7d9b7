import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const read = (file: string): Promise<string> => readFile(new URL(file, ROOT), 'utf8');

/** The operations as typed documents. @throws where one does not fit the schema */
const generate = async (operations: string): Promise<string> => {
  const code = await codegen({
    schema: parse(await read('schema.graphql')),
    documents: [{ location: 'operations.graphql', document: parse(operations) }],
    filename: 'operations.ts',
    config: {
      documentMode: 'string',
      enumType: 'string-literal',
      immutableTypes: true,
      inlineFragmentTypes: 'combine',
      scalars: { DateTime: 'string', Decimal: 'string', SafeInt: 'number' },
      skipTypename: true,
      strictScalars: true,
      useTypeImports: true,
    },
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  });
  return `// Written by \`npm run operations\` from ../operations.graphql and the schema.\n${code}\n`;
};

test('the operations of the demo shop fit the schema, and their types are what is committed', async () => {
  await expect(await generate(await read('examples/shop/operations.graphql'))).toMatchFileSnapshot(
    new URL('examples/shop/operations.ts', ROOT).pathname,
  );
});

test('the trusted documents of the demo shop are those operations', async () => {
  const operations: Record<string, unknown> = await import('../../examples/shop/operations.ts');
  const texts = Object.entries(operations).flatMap(([name, document]) =>
    name.endsWith('Document') ? [String(document)] : [],
  );
  const documents = Object.fromEntries(texts.map((text) => [hash('sha256', text), text]));
  await expect(`${JSON.stringify(documents, null, 2)}\n`).toMatchFileSnapshot(
    new URL('examples/shop/trusted-documents.json', ROOT).pathname,
  );
});

test.for([
  ['a field that the schema does not have', 'query A { hotProducts { cost } }', 'Cannot query field "cost"'],
  [
    'a variable of another type',
    'query A($id: String!) { product(id: $id) { id } }',
    'used in position expecting type',
  ],
  ['a value that an enum does not have', '{ products(orderBy: CHEAPEST) { id } }', 'does not exist in "ProductOrder"'],
] as const)('%s would be found', async ([, operations, message]) => {
  await expect(generate(operations)).rejects.toThrow(message);
});
