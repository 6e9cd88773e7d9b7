import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createDocumentCheck } from '../../src/graphql/document-check.ts';
import { createDocuments } from '../../src/graphql/use-documents.ts';
import { createSchema } from '../../src/schema.ts';
import { runCli } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const config = readConfig({});

const createCheck = ({ deprecated }: { readonly deprecated?: string } = {}) => {
  const schema = createSchema(config);
  const field = deprecated && schema.getQueryType()?.getFields()[deprecated];
  if (field) field.deprecationReason = 'Use hotProducts.';
  const documents = createDocuments({ ...config, schema, limits: config.queryLimits, fieldSuggestions: true });
  return createDocumentCheck({ schema, documents, maxCost: config.queryLimits.maxCost });
};

const check = createCheck();

/** Costs 100 times what one such list of 100 does, with the largest variables. */
const NESTED = `query Shelves($limit: Int! = 5) {
  hotProducts(limit: $limit) { category { products(limit: $limit) { category { products(limit: $limit) { id } } } } }
}`;

describe('a document', () => {
  test('that fits has no finding, and says what it costs at most', () => {
    expect(check('query Hot($limit: Int!) { hotProducts(limit: $limit) { id } }')).toEqual({
      faults: [],
      warnings: [],
      costs: [{ name: 'Hot', cost: 110 }],
    });
  });

  test('may select nothing', () => {
    const costs = [{ name: 'unnamed operation', cost: 0 }];
    expect(check('{ }')).toEqual({ faults: [], warnings: [], costs });
    expect(check('query Hot { hotProducts(limit: 5) { } }')).toEqual({
      faults: [],
      warnings: [],
      costs: [{ name: 'Hot', cost: 5 }],
    });
  });

  test('that does not fit the schema is a fault with its line', () => {
    expect(check('query Home {\n  hotProduct { id }\n}').faults).toEqual([
      { name: 'Home', line: 2, message: expect.stringContaining('Did you mean "hotProducts"') },
    ]);
    expect(check('query {').faults).toEqual([
      { name: 'document', line: 1, message: expect.stringContaining('Syntax') },
    ]);
    expect(check('fragment F on Product { id }').faults).toMatchObject([{ message: 'It has no operation.' }]);
  });

  test('that is faulty is not remembered, so that it takes no place of one in use', () => {
    const documents = createDocuments({
      ...config,
      schema: createSchema(config),
      limits: config.queryLimits,
      fieldSuggestions: true,
    });
    for (const [text, isKept] of [
      ['{ nothing }', false],
      ['{ __typename }', true],
    ] as const) {
      const { document } = documents.check(text);
      expect([text, documents.find(text)]).toEqual([text, isKept ? document : undefined]);
    }
  });

  test('that is too deep is a fault', () => {
    const deep = `query Deep { category(id: 1) ${'{ parent '.repeat(25)}{ id }${' }'.repeat(25)} }`;
    expect(check(deep).faults).toEqual([
      { name: 'document', line: undefined, message: expect.stringContaining('QUERY_MAX_DEPTH') },
    ]);
  });

  test('that costs too much is a fault, or a warning where that depends on its variables', () => {
    const warned = check(NESTED);
    expect(warned.faults).toEqual([]);
    expect(warned.warnings).toEqual([
      {
        name: 'Shelves',
        line: 1,
        message: expect.stringMatching(/^With the largest values .+ costs 1,\d{3},\d{3}, and may/),
      },
    ]);
    const refused = check(NESTED.replace('= 5', '= 50'));
    expect(refused.faults).toEqual([
      { name: 'Shelves', line: 1, message: expect.stringMatching(/^The operation costs .*QUERY_MAX_COST/) },
    ]);
    expect(refused.warnings).toEqual([]);
  });

  test('that uses a deprecated field has a warning', () => {
    expect(createCheck({ deprecated: 'newProducts' })('query New {\n  newProducts { id }\n}')).toMatchObject({
      faults: [],
      warnings: [{ name: 'New', line: 2, message: 'The field Query.newProducts is deprecated. Use hotProducts.' }],
    });
  });

  test('of several operations has each of them checked', () => {
    const { costs } = check('query A { hotProducts { id } } query B { newProducts { id } }');
    expect(costs.map(({ name }) => name)).toEqual(['A', 'B']);
  });
});

describe('vitrine documents check', () => {
  const run = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const command = runCli(['documents', 'check', ...args], environment);
    return { code: await command.ended, output: command.output() };
  };

  test('reads maps and manifests, and needs no database', async () => {
    await using folder = await temporaryFolder();
    const apollo = { format: 'apollo-persisted-query-manifest', operations: [{ id: 'x', body: '{ notices { id } }' }] };
    const files = [
      await folder.write('map.json', JSON.stringify({ a: 'query Hot { hotProducts { id } }' })),
      await folder.write('apollo.json', JSON.stringify(apollo)),
    ];
    expect(await run(files)).toEqual({
      code: 0,
      output: '2 documents, 0 faults, 0 warnings. unnamed operation costs most: at most 220 of 20,000.\n',
    });

    await folder.write('map.json', JSON.stringify({ a: 'query Hot {\n shelves }' }));
    const { code, output } = await run(files);
    expect(code).toBe(1);
    expect(output).toContain('map.json: Hot (a, line 2): Cannot query field "shelves"');
    expect(output).toContain('2 documents, 1 fault');
  });

  test('goes by the limits of the environment', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write(
      'a.json',
      JSON.stringify({ a: '{ hotProducts(limit: 100) { id category { products(limit: 20) { id } } } }' }),
    );
    expect((await run([file])).code).toBe(0);
    const refused = await run([file], { QUERY_MAX_COST: '1000' });
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(
      /^error: \S+a\.json: unnamed operation \(a, line 1\): The operation costs 2,\d{3}, and may cost 1,000/,
    );
  });

  test('says what it cannot read', async () => {
    await using folder = await temporaryFolder();
    expect(await run([path.join(folder.path, 'nothing')])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/nothing cannot be read: ENOENT/),
    });
    expect(await run([await folder.write('none.json', '{}')])).toEqual({
      code: 1,
      output: 'There is no operation in these files.\n',
    });
  });
});
