import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLError,
  getVariableValues,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import { isCoerced, variableReader, type WrongValue } from '../../src/graphql/variables.ts';

const schema = buildSchema(`
  enum Size { SMALL LARGE }
  input Box { size: Size!, width: Float = 1.5 }
  type Query { field: Int }
`);

// As the resolvers of a schema see an enum.
Object.assign((schema.getType('Size') as GraphQLEnumType).getValue('LARGE') ?? {}, { value: 'large' });

const TYPES = ['Int', 'Float', 'String', 'Boolean', 'ID', 'Size', 'Box', '[Int!]', '[Size]'];

const DEFAULTS: Readonly<Record<string, string>> = { Int: '3', String: '"x"', Size: 'LARGE', '[Int!]': '[1, 2]' };

const definition = fc.record({ type: fc.constantFrom(...TYPES), isNonNull: fc.boolean(), hasDefault: fc.boolean() });

const RIGHT: Readonly<Record<string, unknown>> = { Int: 1, Float: 1.5, String: 'x', Boolean: true, Size: 'LARGE' };

/** Stands for a value that the type of its variable takes. */
const RIGHT_VALUE = Symbol('right');

const value = fc.oneof(
  { arbitrary: fc.constant(RIGHT_VALUE), weight: 3 },
  fc.constantFrom('SMALL', 'SMALLL', 'toString', -0, 1, 2 ** 31, 1.5, true, null, undefined, '', [1], ['x'], {}),
  fc.constant({ size: 'LARGE' }),
  fc.jsonValue({ maxDepth: 2 }),
);

const shown = (errors: readonly (GraphQLError | WrongValue)[]) =>
  errors.map(({ message, locations, path, extensions }) => ({ message, locations, path, extensions }));

test('variables have the values, and the faults, that graphql-js gives them', () => {
  let wrong = 0;
  const variables = fc.array(fc.record({ definition, value, isGiven: fc.boolean() }), { maxLength: 4 });
  fc.assert(
    fc.property(variables, fc.boolean(), (each, hideSuggestions) => {
      const declared = each.map(({ definition: { type, isNonNull, hasDefault } }, index) => {
        const preset = hasDefault && DEFAULTS[type] ? ` = ${DEFAULTS[type]}` : '';
        return `$v${index}: ${type}${isNonNull ? '!' : ''}${preset}`;
      });
      const text = `query ${declared.length > 0 ? `(${declared.join(',\n')})` : ''} { field }`;
      const [operation] = parse(text).definitions as OperationDefinitionNode[];
      const definitions = operation?.variableDefinitions ?? [];
      const given = Object.fromEntries(
        each.flatMap(({ definition: { type }, value: given, isGiven }, index) =>
          isGiven ? [[`v${index}`, given === RIGHT_VALUE ? RIGHT[type] : given]] : [],
        ),
      );
      const expected = getVariableValues(schema, definitions, given, { hideSuggestions });
      const coerced = variableReader(schema, definitions, hideSuggestions)(given);
      if (isCoerced(coerced)) expect(coerced).toEqual(expected.variableValues);
      else {
        wrong += 1;
        expect(shown(coerced)).toEqual(shown(expected.errors ?? []));
      }
    }),
    { numRuns: 500 },
  );
  expect(wrong).toBeGreaterThan(0);
});
