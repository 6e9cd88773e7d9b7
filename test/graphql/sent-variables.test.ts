import { buildSchema, type GraphQLScalarType, parse } from 'graphql';
import { expect, test } from 'vitest';
import { prepareOperation } from '../../src/graphql/operation.ts';

class Hidden {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get isKnown(): boolean {
    return this.#value !== undefined;
  }
}

const schema = buildSchema(
  'scalar Big scalar Hidden input F { a: Int b: Int } type Query { f(big: Big, hidden: Hidden, f: F): Int }',
);
(schema.getType('Big') as GraphQLScalarType).coerceInputValue = (value) => BigInt(String(value));
(schema.getType('Hidden') as GraphQLScalarType).coerceInputValue = (value) => new Hidden(value);

const operation = prepareOperation(
  schema,
  parse('query ($big: Big, $hidden: Hidden, $f: F = { a: 1 }) { f(big: $big, hidden: $hidden, f: $f) }'),
);

const textOf = (variables: Record<string, unknown>): string | undefined => {
  const { variableValues } = operation?.coerce(variables) ?? {};
  return variableValues && operation?.textOf(variableValues);
};

test('the key of an operation is made of what was sent: values that JSON cannot carry are told apart', () => {
  const texts = [{}, { big: '1' }, { big: '2' }, { hidden: 1 }, { hidden: 2 }, { f: null }, { f: { b: 1 } }].map(
    textOf,
  );
  expect(texts).not.toContain(undefined);
  expect(new Set(texts).size).toBe(texts.length);
});

test('a default and what says the same have one key', () => {
  expect(textOf({ f: { a: 1 } })).toBe(textOf({}));
});
