import path from 'node:path';
import { extendSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/errors.ts';
import { loadRestOperations } from '../../src/rest/documents.ts';
import { ROUTES } from '../../src/rest/routes.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/rest-documents.ts';
import { expectBadParameter, expectNotFound } from '../support/rest-problem.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());

/** What an action finds at a gateway whose operator has put these documents into REST_DOCUMENTS. */
const withDocuments = async (
  files: Readonly<Record<string, string>>,
  action: (gateway: TestGateway) => Promise<void>,
): Promise<void> => {
  await using folder = await createDocumentFolder(files);
  await using gateway = await createTestGateway(shop.database, { REST_DOCUMENTS: folder.path, FRESHNESS_MS: '0' });
  await action(gateway);
};

describe('a document of the operator', () => {
  test('gives a legacy client its own names by aliases', async () => {
    const text = 'query ($id: Int!) { notice(id: $id) { noticeId: id viewNum: viewCount when: startsAt } }';
    await withDocuments({ 'notice.graphql': text }, async ({ get }) => {
      const when = '2020-01-01T09:00:00.000Z';
      expect((await get('/api/notice/9')).text).toBe(JSON.stringify({ noticeId: 9, viewNum: 1, when }));
      expect((await get('/api/notice/9')).json).toEqual({ noticeId: 9, viewNum: 2, when });
    });
  });

  test('selects less, or more', async () => {
    const text = `
      query ($limit: Int! = 2) { hot: hotProducts(limit: $limit) { ...Short category { parent { id } products(limit: 1) { id } } } }
      fragment Short on Product { name }`;
    await withDocuments({ 'product-hot.graphql': text }, async ({ get }) => {
      const product = { name: expect.any(String), category: { parent: null, products: [{ id: expect.any(Number) }] } };
      expect((await get('/api/product/hot')).json).toStrictEqual([product, product]);
      expect((await get('/api/product/hot?limit=1')).json).toStrictEqual([product]);
    });
  });

  test.for(['a.graphql', 'notice-fields.graphql', 'z.graphql'])(
    'replaces a fragment of any file, whatever the name of its own: %s',
    async (name) => {
      const notices = 'fragment NoticeFields on Notice { id }';
      const text = `fragment ProductFields on Product { id } ${name === 'notice-fields.graphql' ? notices : ''}`;
      await withDocuments({ [name]: text }, async ({ get }) => {
        expect((await get('/api/product/hot?limit=1')).json).toEqual([{ id: expect.any(Number) }]);
      });
    },
  );

  test('names its parameters by its variables, in errors too', async () => {
    const text = `query ($page: Int! = 3, $size: Int! = 2, $kind: NoticeType) {
      noticePage(page: $page, pageSize: $size, type: $kind) { page pageSize items { type } }
    }`;
    await withDocuments({ 'notice-page.graphql': text }, async ({ get }) => {
      expect((await get('/api/notice/page')).json).toMatchObject({ page: 3, pageSize: 2 });
      expect((await get('/api/notice/page?page=1&size=1&kind=promotion&pageNum=x&pageSize=x')).json).toEqual({
        page: 1,
        pageSize: 1,
        items: [{ type: 'PROMOTION' }],
      });
      expectBadParameter(await get('/api/notice/page?size=101'), 'size', /^Parameter "size" must be between 1 and 100/);
      expectBadParameter(await get('/api/notice/page?kind=x'), 'kind', /ANNOUNCEMENT, MAINTENANCE, PROMOTION/);
    });
  });

  test('leaves a default to the schema, fixes an argument, and requires a parameter', async () => {
    const text = `query ($limit: Int, $categoryIds: [Int!]!) {
      products(categoryIds: $categoryIds, limit: $limit, orderBy: NEWEST) { id }
    }`;
    await withDocuments({ 'product-list.graphql': text }, async ({ get }) => {
      expect((await get('/api/product/list?categoryIds=1,2&orderBy=x')).json).toHaveLength(20);
      expect((await get('/api/product/list?categoryIds=1,2&limit=2')).json).toEqual([{ id: 30 }, { id: 29 }]);
      for (const query of ['', '?categoryIds=', '?limit=2']) {
        const answer = await get(`/api/product/list${query}`);
        expectBadParameter(answer, 'categoryIds', 'Parameter "categoryIds" is required.');
      }
    });
  });

  test('has switches of its own', async () => {
    const files = {
      'product.graphql':
        'query ($id: Int!, $full: Boolean! = false) { product(id: $id) { id name @include(if: $full) } }',
      'product-hot.graphql': 'query ($on: Boolean! = false) { hotProducts(limit: 1) @include(if: $on) { id } }',
    };
    await withDocuments(files, async ({ get }) => {
      expect((await get('/api/product/4')).json).toEqual({ id: 4 });
      expect((await get('/api/product/4?full=TRUE')).json).toEqual({ id: 4, name: expect.any(String) });
      expectBadParameter(await get('/api/product/4?full=1'), 'full', /must be one of true, false, but is "1"/);
      // Where the whole answer is switched off there is nothing.
      expect((await get('/api/product/hot?on=true')).json).toHaveLength(1);
      expectNotFound(await get('/api/product/hot'));
    });
  });

  test('may spread the fragments of the built-in documents', async () => {
    const text = 'query ($id: Int!) { product(id: $id) { ...ProductFields title: name } }';
    await withDocuments({ 'product.graphql': text, 'README.md': '# none' }, async ({ get }) => {
      const { json } = await shop.gateway.get('/api/product/4');
      expect((await get('/api/product/4')).json).toEqual({ ...(json as object), title: expect.any(String) });
      // The paths of the other documents are as they are.
      for (const other of ['/api/product/hot', '/api/notice/list', '/api/notice/page']) {
        expect((await get(other)).text).toBe((await shop.gateway.get(other)).text);
      }
    });
  });

  test('may share fragments with others, in files of their own, which may spread each other', async () => {
    const files = {
      'product.graphql': 'query ($id: Int!) { product(id: $id) { ...Short } }',
      'product-hot.graphql': '{ hotProducts(limit: 1) { ...Short ...Own } } fragment Own on Product { slug }',
      'short.graphql': '# what lists show\nfragment Short on Product { id ...Shelf }',
      'shelf.graphql': 'fragment Shelf on Product { category { id } }\nfragment Own on Product { sales }',
      'product-new.graphql': '{ newProducts(limit: 1) { ...Own } }',
    };
    await withDocuments(files, async ({ get }) => {
      const [id, slug] = [expect.any(Number), expect.any(String)];
      expect((await get('/api/product/4')).json).toStrictEqual({ id: 4, category: { id } });
      expect((await get('/api/product/hot')).json).toStrictEqual([{ id, category: { id }, slug }]);
      expect((await get('/api/product/new')).json).toStrictEqual([{ sales: id }]);
    });
  });

  test('is not needed to change the fields of every path that answers products', async () => {
    const paths = ['/api/product/4', '/api/product/hot', '/api/product/new', '/api/product/list'];
    await withDocuments({ 'product-fields.graphql': 'fragment ProductFields on Product { id }' }, async ({ get }) => {
      for (const each of paths) expect([(await get(each)).json].flat()[0]).toStrictEqual({ id: expect.any(Number) });
      expect((await get('/api/notice/list')).text).toBe((await shop.gateway.get('/api/notice/list')).text);
    });
    // By the fragment's name, whatever the file is called.
    await withDocuments({ 'ours.graphql': 'fragment ProductFields on Product { slug }' }, async ({ get }) => {
      for (const each of paths) expect([(await get(each)).json].flat()[0]).toStrictEqual({ slug: expect.any(String) });
    });
  });
});

describe('the start is refused, with file, line, column and reason, for a document', () => {
  /** The lines that the operator reads, without the folder's own name. */
  const refusal = async (
    files: Readonly<Record<string, string>>,
    against = schema,
    maxCost = readConfig({}).queryMaxCost,
  ): Promise<string[]> => {
    await using folder = await createDocumentFolder(files);
    const error = await loadRestOperations(against, maxCost, folder.path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OperatorError);
    const [title, ...lines] = String((error as Error).message)
      .replaceAll(folder.path + path.sep, '')
      .split('\n');
    expect(title).toBe('REST documents do not fit:');
    return lines.map((line) => line.trim());
  };

  const PRODUCT = 'product(id: $id) { id }';
  const ONE_ROOT = 'the query selects exactly one root field, whose value is the answer';

  test.for(
    Object.entries({
      '2:22 Cannot query field "naem" on type "Product". Did you mean "name"?':
        'query Q($id: Int!) {\n  product(id: $id) { naem }\n}',
      '2:11 Unknown argument "no" on field "Query.product".': 'query Q($id: Int!) {\n  product(no: $id) { id }\n}',
      '2:21 Syntax Error: Expected Name, found <EOF>.': 'query Q($id: Int!) {\n  product(id: $id) {',
      '1:1 Syntax Error: Unexpected <EOF>.': '',
      '2:1 a document holds exactly one query': `query A($id: Int!) { ${PRODUCT} }\nquery B { hotProducts { id } }`,
      [`2:1 ${ONE_ROOT}`]: `\nquery ($id: Int!) { ${PRODUCT} hotProducts { id } }`,
      [`1:1 ${ONE_ROOT}`]: `query ($id: Int!) { ...F }\nfragment F on Query { ${PRODUCT} }`,
      '1:2 The mutation operation is not supported by the schema.': ' mutation { x }',
      '1:2 a document holds exactly one query': ' subscription { notices { id } }',
      '1:1 The "X" definition is not executable.': 'type X { id: Int }',
      '1:1 /api/product/{id} needs the variable "$id"': '{ product(id: 1) { id } }',
      '2:1 /api/product/{id} needs the variable "$id"': '\nquery ($key: Int!) { product(id: $key) { id } }',
      '1:8 Variable "$id" of type "String!" used in position expecting type "Int!".':
        'query ($id: String!) { product(id: $id) { id } }',
      '1:20 Variable "$x" is never used in operation "Q".': 'query Q($id: Int!, $x: Int) { product(id: $id) { id } }',
    }),
  )('%s', async ([reason, text]) => {
    expect(await refusal({ 'product.graphql': text })).toContain(`product.graphql:${reason}`);
  });

  test.for(['Filter!', '[[Int]]', '[Filter]', 'Float', '[Float!]', 'DateTime'])(
    'with a variable of type %s, which no query string can carry',
    async (type) => {
      const richer = extendSchema(
        schema,
        parse(`input Filter { id: Int } extend type Query { find(by: ${type}): Product }`),
      );
      expect(
        await refusal({ 'product-hot.graphql': `query (\n  $by: ${type}) { find(by: $by) { id } }` }, richer),
      ).toEqual([`product-hot.graphql:2:3 Variable "$by" is of type ${type}, which no query string can carry.`]);
    },
  );

  const TOO_DEAR = 'hotProducts.category.products.category.products';
  const costs = (cost: string) =>
    ` Too many units of cost: ${cost}, and there may be 20,000 (QUERY_MAX_COST). Look at "${TOO_DEAR}".`;
  const outOfRange = (at: string, value: number) =>
    `${at} Argument "limit" must be between 1 and 100, but is ${value}.`;

  test.for(
    Object.entries({
      [outOfRange('1:22', 101)]: '{ hotProducts(limit: 101) { id } }',
      [outOfRange('1:19', 0)]: 'query ($n: Int! = 0) {\n  hotProducts(limit: $n) { id } }',
      [outOfRange('1:19', -1)]:
        'query ($n: Int! = -1) { hotProducts { ...F } } fragment F on Product { category { products(limit: $n) { id } } }',
      '1:18 Argument "limit" may not be null.': 'query ($n: Int = null) { hotProducts(limit: $n) { id } }',
      '1:25 Argument "categoryIds" may have at most 1000 items, but has 1001.': `{ products(categoryIds: [${Array.from({ length: 1001 }, (_, id) => id)}]) { id } }`,
      [costs('44,110')]:
        '{ hotProducts(limit: 100) { category { products(limit: 100) { category { products(limit: 3) { id } } } } } }',
      // Whatever the parameters are.
      [costs('1,111,110')]:
        'query ($n: Int! = 1) { hotProducts(limit: $n) { category { products(limit: $n) { category { products(limit: $n) { id } } } } } }',
      [` Too many levels of fields: 21, and there may be 20 (depth). Look at "hotProducts.category${'.parent'.repeat(19)}".`]: `{ hotProducts { category { ${'parent { '.repeat(19)}id${' }'.repeat(19)} } } }`,
    }),
  )('%s', async ([reason, text]) => {
    expect(await refusal({ 'product-hot.graphql': text })).toEqual([
      `product-hot.graphql${reason.startsWith(' ') ? '' : ':'}${reason}`,
    ]);
  });

  test('and none of the built-in ones is, with the least that the cost may be', async () => {
    expect(await loadRestOperations(schema, 1000)).toHaveLength(ROUTES.length);
  });

  test.for(
    Object.entries<Record<string, string>>({
      'product-fields.graphql:2:37 Cannot query field "cost" on type "Product".': {
        'product-fields.graphql': '\nfragment ProductFields on Product { cost }',
      },
      'product-fields.graphql:1:36 Syntax Error: Expected Name, found <EOF>.': {
        'product-fields.graphql': 'fragment ProductFields on Product {',
      },
      'product.graphql:1:43 Unknown fragment "Fields".': {
        'product.graphql': 'query ($id: Int!) { product(id: $id) { ...Fields } }',
      },
      'product-feilds.graphql:1:1 No document spreads fragment "ProductField".': {
        'product-feilds.graphql': 'fragment ProductField on Product { id }',
      },
      'b.graphql:1:1 Fragment "F" is also in a.graphql.': {
        'a.graphql': 'fragment F on Product { id }',
        'b.graphql': 'fragment F on Product { id }',
      },
      'b.graphql:1:25 Cannot spread fragment "ProductFields" within itself.': {
        'a.graphql': 'fragment ProductFields on Product { ...B }',
        'b.graphql': 'fragment B on Product { ...ProductFields }',
      },
    }),
  )('with a fragment, once: %s', async ([reason, files]) => {
    const lines = await refusal(files);
    expect(lines).toContain(reason);
    expect(lines.filter((line) => line !== reason && !/Unknown fragment/.test(line))).toEqual([]);
  });

  test('and for every fault of every document at once', async () => {
    const files = {
      'product.graphql': 'query ($id: Int!) { product(id: $id) { a b } }',
      'notice-list.graphql': '{',
      'notice.graphql': '{ notices { id } }',
      'product-new.graphql': '{ newProducts { id } }',
    };
    expect(await refusal(files)).toEqual([
      expect.stringMatching(/^product\.graphql:1:40 Cannot query field "a"/),
      expect.stringMatching(/^product\.graphql:1:42 Cannot query field "b"/),
      expect.stringMatching(/^notice-list\.graphql:1:2 Syntax Error/),
      expect.stringMatching(/^notice\.graphql:1:1 .*needs the variable "\$id"$/),
    ]);
  });
});

describe('the start is refused for a folder', () => {
  test('with a document that belongs to no path, which may be a slip of the pen', async () => {
    await using folder = await createDocumentFolder({ 'products.graphql': '{ notices { id } }' });
    await expect(loadRestOperations(schema, readConfig({}).queryMaxCost, folder.path)).rejects.toThrow(
      new OperatorError(
        `REST_DOCUMENTS: products.graphql in ${folder.path} belongs to no path; the names are ` +
          ROUTES.map((route) => `${route.document}.graphql`).join(', '),
      ),
    );
  });

  test.for([
    ['missing', 'ENOENT'],
    ['product.graphql', 'ENOTDIR'],
  ])('that is not there, or is no folder: %s', async ([name = '', reason]) => {
    await using folder = await createDocumentFolder({ 'product.graphql': '' });
    const starting = createTestGateway(shop.database, { REST_DOCUMENTS: path.join(folder.path, name) });
    const message = expect.stringMatching(`^REST_DOCUMENTS: cannot read the folder .*${name}: ${reason}`);
    await expect(starting).rejects.toMatchObject({ name: OperatorError.name, message });
  });
});
