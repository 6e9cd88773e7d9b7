import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { paramsOfBody, paramsOfPost, readShape, readText } from '../../src/graphql/parse-request.ts';
import { type BodyShapes, createBodyShapes, MAX_BODY_BYTES, type SplitBody } from '../../src/http/body-shapes.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, lasting } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const QUERY = 'query Named($id: Int!) { product(id: $id) { name } }';

/** Bodies as clients write them: graphql-request, Apollo and urql differ in where the variables are. */
const bodiesOf = (variables: unknown): string[] => [
  JSON.stringify({ query: QUERY, variables }),
  JSON.stringify({ query: QUERY, variables, operationName: 'Named' }),
  JSON.stringify({ operationName: 'Named', variables, extensions: {}, query: QUERY }),
  JSON.stringify({ operationName: 'Named', query: QUERY, variables }),
  JSON.stringify({ variables, query: QUERY }),
];

/** Splits a body once its shape is known. */
const splitKnown = <Parsed>(shapes: BodyShapes<Parsed>, text: string): SplitBody<Parsed> | undefined => {
  shapes.learn({ body: Buffer.from(text) });
  return shapes.split({ body: Buffer.from(text) });
};

describe('a body', () => {
  test.for(bodiesOf({ id: 7, text: '}"{\\' }))('is split once its shape is known: %s', (text) => {
    const shapes = createBodyShapes(readShape);
    const body = Buffer.from(text);
    expect(shapes.split({ body })).toBeUndefined();
    shapes.learn({ body });
    const split = shapes.split({ body });
    expect(JSON.parse(split?.variables ?? '')).toEqual({ id: 7, text: '}"{\\' });
    expect(split?.shape.parsed).toMatchObject({ query: QUERY });
    const other = shapes.split({ body: Buffer.from(text.replace('7', '8888')) });
    expect(other?.shape).toBe(split?.shape);
    expect(JSON.parse(other?.variables ?? '')).toMatchObject({ id: 8888 });
  });

  test('is split once, for its key and to be parsed', () => {
    const shapes = createBodyShapes(readShape);
    const text = JSON.stringify({ query: QUERY, variables: { id: 7 } });
    shapes.learn({ body: Buffer.from(text) });
    const request = { body: Buffer.from(text) };
    const split = shapes.split(request);
    expect(split).toBeDefined();
    shapes.split({ body: Buffer.from(text.replace('7', '8')) });
    expect(shapes.split(request)).toBe(split);
  });

  test.for([
    ['without variables', JSON.stringify({ query: '{ a }' })],
    ['whose variables are null', JSON.stringify({ query: QUERY, variables: null })],
    ['whose variables are a list', JSON.stringify({ query: QUERY, variables: [1] })],
    ['whose variables do not end', '{"query":"{ a }","variables":{"a":"}'],
    ['that ends with them', '{"query":"{ a }","variables":{"a":1}'],
    ['that is long', JSON.stringify({ query: '{ a }', variables: { text: 'x'.repeat(MAX_BODY_BYTES) } })],
  ] as const)('%s is not split', ([, text]) => {
    const shapes = createBodyShapes(() => undefined);
    expect(splitKnown(shapes, text)).toBeUndefined();
  });

  test.for([
    ['has variables twice', '{"query":"{ a }","variables":{"a":1},"variables":{"a":2}}'],
    ['has something like them elsewhere', '{"extensions":{"variables":{"a":1}},"variables":{"a":2},"query":"{ a }"}'],
    ['has such as are filled in', '{"extensions":{"variables":{"a":1}},"variables":{"first":1},"query":"{ a }"}'],
    ['has such, once more', '{"extensions":{"variables":{"a":1}},"variables":{"second":2},"query":"{ a }"}'],
    ['has them elsewhere alone', '{"extensions":{"variables":{"a":1}},"query":"{ a }"}'],
    ['is no JSON', '{"query":"{ a }","variables":{"a":1}'],
    ['has variables that are no JSON', '{"query":"{ a }","variables":{a:1}}'],
    ['has an unknown parameter', '{"query":"{ a }","variables":{"a":1},"other":1}'],
    ['has no document', '{"variables":{"a":1}}'],
  ] as const)('that %s is read as a whole', ([, text]) => {
    const shapes = createBodyShapes(readShape);
    shapes.learn({ body: Buffer.from(text) });
    expect(paramsOfPost(Buffer.from(text), shapes.split({ body: Buffer.from(text) }))).toEqual(paramsOfBody(text));
  });
});

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('"variables":{', ',"variables":{"a":1}', '}', '{', '\\', '"', 'ö', '日本', 'variables'),
);
const member = fc.tuple(
  fc.constantFrom('variables', 'query', 'operationName', 'extensions', 'documentId', 'x"variables":{', 'é'),
  fc.oneof(json, fc.dictionary(fc.constantFrom('variables', 'id', 'b'), json), fc.constantFrom(QUERY, '{ a }')),
);
/** What clients send, in any order and with something more, and what they do not. */
const members = fc.oneof(
  fc.array(member, { maxLength: 5 }),
  fc.tuple(member, fc.dictionary(fc.constantFrom('variables', 'id', 'b'), json)).chain(([other, variables]) =>
    fc.shuffledSubarray<[string, unknown]>(
      [['query', QUERY], ['variables', variables], ['operationName', 'N'], other],
      {
        minLength: 2,
      },
    ),
  ),
);
const bodies = members.map(
  (each) => `{${each.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
);

test('what is read of any body, split or not, is what is read of it as a whole', () => {
  let splits = 0;
  const outcome = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      return (error as Error).message;
    }
  };
  fc.assert(
    fc.property(bodies, fc.dictionary(fc.constantFrom('id', 'é', '}'), json), (text, others) => {
      const shapes = createBodyShapes(readShape);
      const filled = text.replace(/"variables":\{[^{}]*\}/, () => `"variables":${JSON.stringify(others)}`);
      shapes.learn({ body: Buffer.from(text) });
      for (const each of [text, filled]) {
        const body = Buffer.from(each);
        const whole = outcome(() => paramsOfBody(readText(body)));
        expect(outcome(() => paramsOfPost(body, shapes.split({ body })))).toEqual(whole);
        if (shapes.split({ body })?.shape.parsed) splits += 1;
      }
    }),
    { numRuns: 5000 },
  );
  expect(splits).toBeGreaterThan(100);
});

test('no two bodies are split alike', () => {
  const shapes = createBodyShapes(() => undefined);
  const texts = new Map<string, string>();
  const keyOf = ({ shape, variables }: SplitBody<unknown>): string => `${shape.id} ${variables}`;
  fc.assert(
    fc.property(bodies, (text) => {
      const split = splitKnown(shapes, text);
      if (!split) return;
      const key = keyOf(split);
      expect(texts.get(key) ?? text).toBe(text);
      texts.set(key, text);
    }),
    { numRuns: 5000 },
  );
  expect(texts.size).toBeGreaterThan(100);
});

const database = await shared(createTestDatabase());
const category = await insertCategory(database);
for (const [id, name] of [
  [1, 'Bowl'],
  [2, 'Cup'],
] as const)
  await insertProduct(database, { id, category_id: category, name });
const gateway = await shared(createTestGateway(database));

test.for(bodiesOf({ id: 1 }))('a client gets what it asks for, however often it has asked: %s', async (text) => {
  for (const _ of [1, 2, 3]) {
    for (const [id, name] of [
      ['1', 'Bowl'],
      ['2', 'Cup'],
    ] as const) {
      const body = text.replace('"id":1', `"id":${id}`);
      expect((await gateway.post(body)).json).toEqual({ data: { product: { name } } });
    }
  }
});

test('a request that was answered once is answered from memory, whatever its client writes around the variables', async () => {
  for (const text of bodiesOf({ id: 2, once: true })) {
    const body = text.replace('Named', 'Once').replace('Named', 'Once').replace('{ name }', '{ name stock }');
    await gateway.post(body);
    expect((await gateway.post(body)).headers['cache-status']).toBe('vitrine; hit');
    expect(await gateway.countStatements(() => gateway.post(body))).toBe(0);
  }
});

test('another media type, and a wrong variable, are answered as they are the first time', async () => {
  const ask = async (variables: unknown, accept: string) =>
    lasting(await gateway.post({ query: QUERY, variables }, { accept }));
  const requests = [
    [{ id: 1 }, 'application/json'],
    [{ id: 1 }, 'application/graphql-response+json'],
    [{ id: 'one' }, 'application/json'],
    [{ id: 'ö' }, 'application/graphql-response+json'],
  ] as const;
  const first = await Promise.all(requests.map(([variables, accept]) => ask(variables, accept)));
  for (const _ of [1, 2, 3]) {
    for (const [index, [variables, accept]] of requests.entries()) {
      expect(await ask(variables, accept)).toEqual(first[index]);
    }
  }
});
