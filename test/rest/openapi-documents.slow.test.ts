import { extendSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { loadRestOperations } from '../../src/rest/documents.ts';
import { createOpenapi } from '../../src/rest/openapi/openapi.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/rest-documents.ts';
import { lintAnswers, lintOpenapi, type Openapi, readOpenapi } from '../support/rest-openapi.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());

/** What `/openapi.json` says, and some paths answer, where an operator has put these documents into REST_DOCUMENTS. */
const describeDocuments = async (
  files: Readonly<Record<string, string>>,
  targets: Readonly<Record<string, string>> = {},
): Promise<{ openapi: Openapi; answers: Record<string, unknown> }> => {
  await using folder = await createDocumentFolder(files);
  await using gateway = await createTestGateway(shop.database, { REST_DOCUMENTS: folder.path });
  const answers: Record<string, unknown> = {};
  for (const [path, target] of Object.entries(targets)) answers[path] = (await gateway.get(target)).json;
  return { openapi: await readOpenapi(gateway), answers };
};

const answerSchema = ({ paths }: Openapi, path: string) =>
  paths[path]?.get.responses[200].content['application/json'].schema;

describe("an operator's document is described as it is", () => {
  test('by its aliases and what it selects, through fragments and whatever repeats', async () => {
    const path = '/api/notice/{id}';
    const text = `
      query Old($id: Int!) { notice(id: $id) { ...Counts ... { title } ... on Notice { title headline: title } } }
      fragment Counts on Notice { __typename viewNum: viewCount ...When }
      fragment When on Notice { until: endsAt }`;
    const { openapi, answers } = await describeDocuments({ 'notice.graphql': text }, { [path]: '/api/notice/4' });
    expect(await lintAnswers(openapi, answers)).toEqual([]);
    expect(openapi.paths[path]?.get.operationId).toBe('Old');
    expect(openapi.components.schemas.Notice2).toEqual({
      type: 'object',
      description: expect.any(String),
      properties: {
        __typename: { type: 'string', description: expect.any(String) },
        viewNum: {
          type: 'integer',
          format: 'int64',
          maximum: 2 ** 53 - 1,
          description: 'How often its detail has been read. In lists it may lag by some seconds.',
        },
        until: { type: ['string', 'null'], format: 'date-time', description: expect.any(String) },
        title: { type: 'string', description: expect.any(String) },
        headline: { type: 'string', description: expect.any(String) },
      },
      required: ['__typename', 'viewNum', 'until', 'title', 'headline'],
    });
    expect(answerSchema(openapi, path)).toEqual({ $ref: '#/components/schemas/Notice2' });
  });

  test('with selections of one key in two places taken together', async () => {
    const text = `query ($id: Int!) {
      product(id: $id) { category { id } listPrice { amount } ... { category { name parent { id } } } }
    }`;
    const path = '/api/product/{id}';
    const { openapi, answers } = await describeDocuments({ 'product.graphql': text }, { [path]: '/api/product/4' });
    expect(await lintAnswers(openapi, answers)).toEqual([]);
    const orNull = (name: string) => ({ anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }] });
    expect(openapi.components.schemas).toMatchObject({
      Product: { properties: { category: { $ref: '#/components/schemas/Category2' }, listPrice: orNull('Money') } },
      Category2: { properties: { id: {}, name: {}, parent: orNull('Category') }, required: ['id', 'name', 'parent'] },
      Category: { properties: { id: {} }, required: ['id'] },
      Money: { properties: { amount: {} }, required: ['amount'] },
    });
  });

  test('with what a switch may take out as optional', async () => {
    const text = `query ($id: Int!, $full: Boolean! = false) {
      product(id: $id) { id name @include(if: $full) ... @skip(if: $full) { slug id } }
    }`;
    const path = '/api/product/{id}';
    for (const target of ['/api/product/4', '/api/product/4?full=true']) {
      const { openapi, answers } = await describeDocuments({ 'product.graphql': text }, { [path]: target });
      expect(await lintAnswers(openapi, answers)).toEqual([]);
      expect(answerSchema(openapi, path)).toEqual({ $ref: '#/components/schemas/Product' });
      expect(openapi.components.schemas.Product).toMatchObject({ required: ['id'] });
      expect(openapi.paths[path]?.get.parameters).toContainEqual({
        name: 'full',
        in: 'query',
        required: false,
        schema: { type: 'boolean', default: false },
      });
    }
  });

  test('with 404 where a switch may take the whole answer out', async () => {
    const text = 'query ($on: Boolean! = false) { hotProducts @include(if: $on) { id } }';
    const { openapi } = await describeDocuments({ 'product-hot.graphql': text });
    expect(openapi.paths['/api/product/hot']?.get.responses).toHaveProperty('404');
    expect(openapi.paths['/api/product/new']?.get.responses).not.toHaveProperty('404');
  });

  test('with the names, the defaults and the needs of its variables, and the ranges of what they feed', async () => {
    const text = `query ($page: Int! = 3, $size: Int!, $kind: NoticeType = PROMOTION) {
      noticePage(page: $page, pageSize: $size, type: $kind) { pageCount }
    }`;
    const { openapi } = await describeDocuments({ 'notice-page.graphql': text });
    expect(await lintOpenapi(openapi)).toEqual([]);
    expect(openapi.paths['/api/notice/page']?.get.parameters).toMatchObject([
      { name: 'page', required: false, description: '1 or more.', schema: { minimum: 1, default: 3 } },
      { name: 'size', required: true, description: '1 to 100.', schema: { minimum: 1, maximum: 100 } },
      { name: 'kind', required: false, schema: { type: 'string', default: 'PROMOTION' } },
    ]);
  });

  test('with how many keys may be looked up, and null for what is not there', async () => {
    const text = 'query($ids: [Int!]!) { productsByIds(ids: $ids) { id images { url alt } } }';
    const path = '/api/product/list';
    const target = `${path}?ids=1,999999,2`;
    const { openapi, answers } = await describeDocuments({ 'product-list.graphql': text }, { [path]: target });
    expect(answers[path]).toEqual([{ id: 1, images: [] }, null, { id: 2, images: [] }]);
    expect(await lintAnswers(openapi, answers)).toEqual([]);
    expect(openapi.paths[path]?.get.parameters[0]?.schema).toEqual({
      type: 'array',
      items: { type: 'integer', format: 'int32' },
      minItems: 1,
      maxItems: 100,
    });
  });

  test('with an id of its own where two bear one name or none', async () => {
    const { openapi } = await describeDocuments({
      'product-hot.graphql': 'query Products { hotProducts { id } }',
      'product-new.graphql': 'query Products { newProducts { id } }',
      'notice-list.graphql': '{ notices { id } }',
    });
    expect(await lintOpenapi(openapi)).toEqual([]);
    const ids = ['product/{id}', 'product/hot', 'product/new', 'notice/list', 'notice/{id}'].map(
      (path) => openapi.paths[`/api/${path}`]?.get.operationId,
    );
    expect(ids).toEqual(['Product', 'Products', 'product-new', 'notice-list', 'Notice']);
  });

  test('whatever a path answers with: a scalar, a tree, the schema itself', async () => {
    const files = {
      'notice-list.graphql': '{ __typename }',
      'product-new.graphql': '{ categories { children { children { id } } } }',
      'product-hot.graphql': '{ __schema { types { name kind fields { name } } } }',
    };
    const targets = Object.fromEntries(
      ['/api/notice/list', '/api/product/new', '/api/product/hot'].map((path) => [path, path]),
    );
    const { openapi, answers } = await describeDocuments(files, targets);
    expect(answers['/api/notice/list']).toBe('Query');
    expect(await lintAnswers(openapi, answers)).toEqual([]);
  });

  test('through interfaces and unions, by the types that their objects may have', async () => {
    const richer = extendSchema(
      schema,
      parse(`"What has a name." interface Named { name: String! }
        type Pen implements Named { name: String! colour: String } type Shelf implements Named { name: String! }
        "What is shown." union Shown = Pen | Shelf
        extend type Query { named: Named shown: [Shown!]! }`),
    );
    await using folder = await createDocumentFolder({
      'notice-list.graphql': '{ shown { __typename ... on Named { name } ... on Pen { colour } } }',
      'product-hot.graphql': '{ named { title: name } }',
    });
    const { bodies } = createOpenapi(
      await loadRestOperations(richer, readConfig({}).queryMaxCost, folder.path),
      richer,
    );
    const openapi: Openapi = JSON.parse(new TextDecoder().decode(bodies.identity));
    expect(await lintOpenapi(openapi)).toEqual([]);
    const [pen, shelf, titledPen, titledShelf] = ['Pen', 'Shelf', 'Pen2', 'Shelf2'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }));
    // The paths come in the order of their table.
    expect(answerSchema(openapi, '/api/product/hot')).toEqual({ anyOf: [pen, shelf] });
    expect(answerSchema(openapi, '/api/notice/list')).toEqual({
      type: 'array',
      items: { anyOf: [titledPen, titledShelf] },
    });
    const { Pen, Pen2, Shelf2 } = openapi.components.schemas;
    expect([Pen, Pen2, Shelf2].map((each) => each?.required)).toEqual([
      ['title'],
      ['__typename', 'name', 'colour'],
      ['__typename', 'name'],
    ]);
  });

  test('with types that the schema may have one day', async () => {
    const richer = extendSchema(
      schema,
      parse(`enum Mood { GOOD BAD }
        "A day." type Day { key: ID! mood: Mood moods: [Mood]! warmth: Float grid: [[Int!]] }
        extend type Query { days(keys: [ID!]!): [Day] }`),
    );
    const text = `query ($keys: [ID!]! = ["a", "b"]) {
      days(keys: $keys) { key mood moods warmth grid }
    }`;
    await using folder = await createDocumentFolder({ 'notice-list.graphql': text });
    const { bodies } = createOpenapi(
      await loadRestOperations(richer, readConfig({}).queryMaxCost, folder.path),
      richer,
    );
    const openapi: Openapi = JSON.parse(new TextDecoder().decode(bodies.identity));
    expect(await lintOpenapi(openapi)).toEqual([]);
    const orNull = { type: ['string', 'null'], enum: ['GOOD', 'BAD', null] };
    expect(openapi.components.schemas.Day?.properties).toEqual({
      key: { type: 'string' },
      mood: orNull,
      moods: { type: 'array', items: orNull },
      warmth: { type: ['number', 'null'], format: 'double' },
      grid: {
        type: ['array', 'null'],
        items: { type: ['array', 'null'], items: { type: 'integer', format: 'int32' } },
      },
    });
    expect(openapi.paths['/api/notice/list']?.get).toMatchObject({
      parameters: [
        { name: 'keys', style: 'form', explode: false, schema: { items: { type: 'string' }, default: ['a', 'b'] } },
      ],
      responses: { 404: {} },
    });
  });
});
