import { type GraphQLResolveInfo, graphql, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { LIST_SIZE, within } from '../../src/graphql/arguments.ts';
import { builder } from '../../src/graphql/builder.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { Product } from '../../src/product/product.schema.ts';
import { loadRestOperations } from '../../src/rest/documents.ts';
import { openapiDocument } from '../../src/rest/openapi/openapi.ts';
import { createSchema, printSdl } from '../../src/schema.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/rest-documents.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';

// The schema's builder belongs to the process, and keeps what is added to it.

describe('with fields that a test has added,', () => {
  beforeAll(() => {
    const Named = builder.interfaceRef<{ name: string }>('Named').implement({
      fields: (t) => ({ name: t.exposeString('name') }),
    });
    const Pen = builder.objectRef<{ name: string }>('Pen').implement({
      interfaces: [Named],
      isTypeOf: (value) => typeof value === 'object' && value !== null && 'name' in value,
    });
    const Shop = builder.objectRef<{ isOpen: boolean }>('Shop').implement({
      fields: (t) => ({ isOpen: t.exposeBoolean('isOpen') }),
    });
    const Shown = builder.unionType('Shown', {
      types: [Pen, Shop],
      resolveType: (value) => ('name' in value ? 'Pen' : 'Shop'),
    });
    builder.queryFields((t) => ({
      bounded: t.field({
        type: [Product],
        args: { size: t.arg.int(within({ ...LIST_SIZE, maximum: 20 }, 10, ', on one page')) },
        resolve: () => [],
      }),
      none: t.field({ type: [Shop], nullable: true, resolve: () => null }),
      many: t.field({ type: [Shop], resolve: () => Array.from({ length: 600 }, () => ({ isOpen: true })) }),
      shown: t.field({
        type: [Shown],
        resolve: () => [{ name: 'red' }, { isOpen: true }],
      }),
      // A resolver that reads "info" and does not look like it.
      sneaky: t.string({ resolve: (...args) => args[3].fieldName }),
      failing: t.string({
        resolve: (...args) => {
          throw new Error(args[3].fieldName);
        },
      }),
      fieldName: t.string({ resolve: (_, __, ___, { fieldName }: GraphQLResolveInfo) => fieldName }),
    }));
  });

  describe('a range bounds an argument', () => {
    const config = readConfig({});
    const text = 'query Bounded($size: Int) { bounded(size: $size) { id } }';

    test('in the SDL, in what is refused, and in the cost', async () => {
      const bounded = createSchema();
      expect(printSdl(bounded)).toContain('"""1 to 20, on one page."""\n    size: Int! = 10');
      const { data, errors } = await graphql({ schema: bounded, source: '{ bounded(size: 21) { id } }' });
      expect(data).toBeNull();
      expect(errors?.[0]?.message).toBe('Argument "size" must be between 1 and 20, but is 21.');
      expect(prepareOperation(bounded, parse(text))?.costOf().total).toBe(22);
    });

    test('in the OpenAPI document, and in REST documents', async () => {
      const bounded = createSchema();
      await using folder = await createDocumentFolder({ 'product-hot.graphql': text });
      const operations = await loadRestOperations(bounded, config.queryMaxCost, folder.path);
      expect(openapiDocument(operations, bounded)).toMatchObject({
        paths: {
          '/api/product/hot': {
            get: { parameters: [{ name: 'size', description: '1 to 20, on one page.', schema: { maximum: 20 } }] },
          },
        },
      });
      await using wrong = await createDocumentFolder({ 'product-hot.graphql': '{ bounded(size: 21) { id } }' });
      await expect(loadRestOperations(bounded, config.queryMaxCost, wrong.path)).rejects.toThrow(
        'Argument "size" must be between 1 and 20, but is 21.',
      );
    });
  });

  test('a resolver that reads "info" runs once, in the reference executor', async () => {
    const withInfo = createSchema();
    expect(prepareOperation(withInfo, parse('{ fieldName }'))).toMatchObject({ compiled: undefined });
    expect(prepareOperation(withInfo, parse('{ hotProducts { id } }'))?.compiled).toBeDefined();
    await using database = await createTestDatabase();
    await insertProduct(database, { category_id: await insertCategory(database) });
    await using gateway = await createTestGateway(database);
    expect(await gateway.graphql('{ fieldName hotProducts { id } }')).toEqual({
      data: { fieldName: 'fieldName', hotProducts: [{ id: 1 }] },
    });
  });

  test('a compiled operation that fails is counted each time, and logged once', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { CACHE_MAX_MB: '0' });
    const failures = async (outcome: string): Promise<number> =>
      (await scrape(gateway)).sum('vitrine_compiled_operation_failures_total', { outcome });
    const told = () =>
      gateway.logged.flatMap(({ level, msg, operation, err }) =>
        /^A compiled operation/.test(String(msg)) ? [{ level, operation, message: (err as Error).message }] : [],
      );
    for (const _ of ['once', 'again']) {
      expect(await gateway.graphql('query Sneaky { sneaky }')).toEqual({ data: { sneaky: 'sneaky' } });
    }
    expect([await failures('answered'), await failures('failed')]).toEqual([2, 0]);
    expect(told()).toEqual([{ level: 40, operation: 'Sneaky', message: expect.stringContaining('undefined') }]);

    // Two requests: the failure of one is kept for equal ones.
    for (const time of ['once', 'again']) {
      const { errors } = await gateway.graphql(`query Wrong { bounded(size: 0) { id } } # ${time}`);
      expect(errors).toHaveLength(1);
    }
    expect([await failures('answered'), await failures('failed')]).toEqual([2, 2]);
    // The client is told.
    expect(told()).toHaveLength(1);
    for (const _ of ['once', 'again']) {
      expect((await gateway.graphql('query Other { failing }')).errors).toHaveLength(1);
    }
    expect([await failures('answered'), await failures('failed')]).toEqual([2, 4]);
    expect(told()).toHaveLength(1);
  });

  test('a list of undeclared length may be null, and its rows are counted', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { QUERY_MAX_COST: '1000' });
    expect(await gateway.graphql('{ none { isOpen } }')).toEqual({ data: { none: null } });
    expect((await gateway.graphql('{ many { isOpen } }')).data.many).toHaveLength(600);
    const { errors } = await gateway.graphql('{ many { isOpen } again: many { isOpen } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', maximum: 1000, field: 'Query.many' });
  });

  test('what is selected through an interface or a union is executed by graphql-js, silently and counted', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { CACHE_MAX_MB: '0' });
    const ask = (selection: string) => gateway.graphql(`{ shown { ${selection} } hotProducts { id } }`);
    const counted = async () => {
      const metrics = await scrape(gateway);
      return ['executions_not_compiled', 'compiled_operation_failures'].map((name) =>
        metrics.sum(`vitrine_${name}_total`),
      );
    };
    const data = { shown: [{ name: 'red', __typename: 'Pen' }, { isOpen: true }], hotProducts: [] };
    expect(await ask('... on Named { name __typename } ... on Shop { isOpen }')).toEqual({ data });
    expect(await counted()).toEqual([1, 0]);
    expect(await gateway.graphql('{ hotProducts { id } }')).toEqual({ data: { hotProducts: [] } });
    expect(await counted()).toEqual([1, 0]);
    expect(gateway.logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
  });
});
