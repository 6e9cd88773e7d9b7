import { buildSchema, execute, type GraphQLObjectType, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { OperationContext } from '../../src/graphql/context.ts';
import { type Operation, prepareOperation } from '../../src/graphql/operation.ts';

const schema = buildSchema(`
  interface Named { name: String! items: [Named!]! }
  interface Root { name: String! }
  union Shown = Pen | Shelf
  type Pen implements Named & Root { name: String! items: [Pen!]! colour: String views: Int box: Shelf }
  type Shelf implements Named { name: String! items: [Named!]! pens: [Pen!]! views: Int }
  type Query implements Root { name: String! pen: Pen shelf: Shelf named: Named shown: [Shown!]! secret: Int }
  type Subscription { named: Named shown: [Shown!]! }
`);

const fieldOf = (type: string, name: string) => {
  const field = (schema.getType(type) as GraphQLObjectType).getFields()[name];
  if (!field) throw new Error(`there is no ${type}.${name}`);
  return field;
};
for (const [type, name, assumedSize] of [
  ['Query', 'shown', 10],
  ['Subscription', 'shown', 10],
  ['Pen', 'items', 2],
  ['Shelf', 'items', 5],
  ['Shelf', 'pens', 100],
] as const) {
  fieldOf(type, name).extensions = { assumedSize };
}
fieldOf('Pen', 'views').extensions = { isSilent: true };
fieldOf('Pen', 'colour').extensions = { isSilent: true };

const prepare = (text: string): Operation => {
  const document = parse(text);
  expect(validate(schema, document), text).toEqual([]);
  const operation = prepareOperation(schema, document);
  if (!operation) throw new Error('there is no operation');
  return operation;
};

describe('the cost of what is selected through an interface or a union is at least that of each type:', () => {
  test.for<[why: string, text: string, cost: number]>([
    ['a lookup', '{ named { name } }', 1.1],
    ['the longest that the list is in any type', '{ named { items { name } } }', 1 + 5 * 1.1],
    ['a list in such a list', '{ named { items { items { name } } } }', 1 + 5 + 5 * 5 * 1.1],
    ['the fields of one type alone', '{ named { ... on Pen { items { name } } } }', 1 + 2 * 1.1],
    ['those of all types together', '{ named { ... on Pen { colour } ... on Shelf { pens { name } } } }', 1.1 + 110],
    ['each item of a list of a union', '{ shown { __typename ... on Named { name } } }', 10 * 1.2],
    ['a fragment on an interface, once', '{ shown { ...F ... on Pen { ...F } } } fragment F on Named { name }', 11],
    [
      'a field with other arguments or another name under the same key',
      '{ shown { ... on Pen { x: items { name } } ... on Shelf { x: pens { name } } } }',
      10 + 10 * 2.2 + 10 * 110,
    ],
    ['what no type can be, of nothing', '{ pen { ... on Named { ... on Shelf { pens { name } } name } } }', 1.1],
  ])('%s', ([, text, cost]) => {
    expect(prepare(text).costOf().total).toBeCloseTo(cost, 6);
  });

  test('and is calculated at once, however the types are spread in each other', () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'name' : `... on Pen { items { ...F${depth} } } ... on Named { items { ...F${depth} } }`;
    const fragments = Array.from({ length: 10 }, (_, depth) => `fragment F${depth + 1} on Named { ${nested(depth)} }`);
    expect(prepare(`{ named { ...F10 } } ${fragments.join(' ')}`).costOf().total).toBeGreaterThan(5 ** 9);
  });
});

test('the root fields of an operation are those that the root type has', () => {
  const { rootFields } = prepare(
    '{ ... on Root { name ... on Pen { colour } ... on Query { secret ... on Root { n: name } } } }',
  );
  expect([...rootFields]).toEqual(['name', 'secret']);
});

describe('what is compiled', () => {
  const PEN = { name: 'p', colour: 'red', items: [{ name: 'q', items: [] }] };
  fieldOf('Query', 'name').resolve = () => 'root';
  fieldOf('Query', 'secret').resolve = () => 7;
  fieldOf('Query', 'pen').resolve = () => PEN;
  fieldOf('Query', 'shelf').resolve = () => ({ name: 's' });

  test.for([
    '{ ... on Root { name ... on Pen { colour } ... on Query { secret } } }',
    '{ pen { ...F ... on Named { ... on Shelf { pens { name } } items { ...F } } colour } } fragment F on Named { name __typename }',
    '{ shelf { name ... on Named { ... on Root { other: name } } } }',
    '{ pen { ... on Shown { ... on Shelf { views } ... on Pen { name } } ...F ...F } } fragment F on Root { colour: name }',
  ])('keeps the fields of the type that an object has: %s', async (text) => {
    const { data, errors } = await execute({ schema, document: parse(text) });
    expect(errors).toBeUndefined();
    const { compiled } = prepare(text);
    const variables = { sources: {}, coerced: {} };
    expect(await compiled?.(variables, {} as OperationContext)).toBe(JSON.stringify(data));
  });

  test('is no operation with a directive, also where it stands in a fragment alone', () => {
    expect(prepare('{ pen { ...F } } fragment F on Pen { name }').compiled).toBeDefined();
    expect(prepare('{ pen { ...F } } fragment F on Pen { name @skip(if: true) }').compiled).toBeUndefined();
  });

  test.for(['{ named { name } }', '{ shown { __typename } }', '{ pen { box { items { name } } } }'])(
    'is no operation that selects through an interface or a union: %s',
    (text) => {
      expect(prepare(text).compiled).toBeUndefined();
    },
  );
});

describe('a change of silent fields alone is no event:', () => {
  const without = (text: string, data: Record<string, unknown>): unknown =>
    JSON.parse(prepare(`subscription ${text}`).textOfEvent?.({ data }) ?? 'null');

  test('in each type that may have the key', () => {
    expect(
      without('{ shown { ... on Pen { colour views } ... on Shelf { name } } }', {
        shown: [{ colour: 'red', views: 1 }, { name: 's' }],
      }),
    ).toEqual({ shown: [{}, { name: 's' }] });
  });

  test('also under a name that a response itself has', () => {
    expect(
      without('{ shown { ... on Pen { data: views errors: name } } }', { shown: [{ data: 1, errors: 'p' }] }),
    ).toEqual({ shown: [{ errors: 'p' }] });
  });

  test('but where another type shows something else under the key', () => {
    expect(
      without('{ shown { ... on Pen { views, colour } ... on Shelf { views } } }', {
        shown: [{ colour: 'red', views: 1 }, { views: 2 }],
      }),
    ).toEqual({ shown: [{ views: 1 }, { views: 2 }] });
  });
});
