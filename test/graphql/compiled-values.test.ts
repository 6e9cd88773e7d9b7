import { inspect } from 'node:util';
import {
  execute,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import type { OperationContext } from '../../src/graphql/context.ts';
import { compile } from '../../src/graphql/executor/compile.ts';

const Size = new GraphQLEnumType({ name: 'Size', values: { SMALL: { value: 1 }, LARGE: { value: 'l' }, NONE: {} } });

const Even = new GraphQLScalarType({
  name: 'Even',
  serialize: (value) => {
    if (Number(value) % 2 !== 0) throw new GraphQLError(`${value} is odd`);
    return { half: Number(value) / 2 };
  },
});

const Anything = new GraphQLScalarType({ name: 'Anything', serialize: (value) => inspect(value) });

const Inner: GraphQLObjectType = new GraphQLObjectType({
  name: 'Inner',
  fields: () => ({
    plain: { type: GraphQLString },
    needed: { type: new GraphQLNonNull(GraphQLString), resolve: ({ needed = 'n' }) => needed },
    later: { type: GraphQLString, resolve: async ({ later = 'l' }) => later },
    inner: { type: Inner },
  }),
});

const NAMED = [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID, Size, Even, Anything, Inner];

const wrappedTypes = (type: (typeof NAMED)[number]): readonly GraphQLOutputType[] => [
  type,
  new GraphQLNonNull(type),
  new GraphQLList(type),
  new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type))),
  new GraphQLList(new GraphQLList(type)),
];

const REJECTED = Promise.reject(new Error('no'));
REJECTED.catch(() => {}); // It is waited for below, or never.

const VALUES: readonly unknown[] = [
  ...[null, undefined, '', 'text', '"\\\n\u2028é🍵', '\ud800', '7', 'NONE', 'SMALL', 'l'],
  ...[0, -0, 1, 2, 1.5, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, Number.NaN, Number.POSITIVE_INFINITY, 1e21],
  ...[7n, 2n ** 63n, true, false, Symbol('s'), new Date(0), () => 7, { toString: () => 'own' }, { valueOf: () => 4 }],
  ...[[], [1], [1, null], ['a', undefined], [[1, 2], null, []], [[null]], new Set([1]), [Promise.resolve('a'), 'b']],
  ...[
    {},
    { plain: 1, needed: null },
    { plain: Promise.resolve('p') },
    { inner: { inner: {} } },
    [{}, null],
    [{ needed: null }],
  ],
  ...[[REJECTED], { later: REJECTED }, new Error('an error'), [new Error('in')]],
];
const LEFT = 'left to the executor';

/** Both ways of answering `{ value }` for a resolver that gives this. */
const answerBoth = async (type: GraphQLOutputType, resolve: () => unknown) => {
  const isInner = String(type).includes('Inner');
  const query = new GraphQLObjectType({
    name: 'Query',
    fields: { value: { type, resolve }, after: { type: GraphQLInt, resolve: () => 1 } },
  });
  const schema = new GraphQLSchema({ query });
  const document = parse(
    isInner ? '{ value { plain needed later inner { later inner { plain } } } after }' : '{ value after }',
  );
  const { data, errors } = await execute({ schema, document });
  const [operation] = document.definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('there is no operation');
  const program = compile(schema, document, operation);
  if (!program) throw new Error('it is not compiled');
  const run = async (): Promise<string> => program({ sources: {}, coerced: {} }, {} as OperationContext);
  const written = await run().catch(() => LEFT);
  return { written, expected: errors ? LEFT : JSON.stringify(data) };
};

const RESOLVERS: readonly (readonly [string, (value: unknown) => () => unknown])[] = [
  ['given', (value) => () => value],
  ['promised', (value) => async () => value],
  [
    'thrown',
    (value) => () => {
      throw value;
    },
  ],
];

test.for(NAMED)(
  'any value of a field of type %s, of its lists and non-null, is written as the executor would, or left to it',
  async (named) => {
    let written = 0;
    for (const type of wrappedTypes(named)) {
      for (const value of VALUES) {
        for (const [how, toResolver] of RESOLVERS) {
          const answers = await answerBoth(type, toResolver(value));
          if (answers.written === LEFT) continue;
          written += 1;
          expect(answers.written, `${type} ${how} ${inspect(value)}`).toBe(answers.expected);
        }
      }
    }
    expect(written).toBeGreaterThan(20);
  },
);

test('an iterable that is no list, whose promises are rejected, ends no process', async () => {
  const rejected: unknown[] = [];
  const note = (error: unknown): void => void rejected.push(error);
  process.on('unhandledRejection', note);
  const resolve = () => new Set([Promise.reject(new Error('first')), Promise.reject(new Error('second'))]);
  const many = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: { many: { type: new GraphQLList(GraphQLString), resolve: () => resolve() } },
    }),
  });
  const document = parse('{ many }');
  const [operation] = document.definitions;
  const compiled = compile(many, document, operation as OperationDefinitionNode);
  const variables = { sources: {}, coerced: {} };
  await expect(async () => compiled?.(variables, {} as OperationContext)).rejects.toThrow();
  // Node tells of a rejection after the promise jobs of a turn.
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(rejected).toEqual([]);
});
