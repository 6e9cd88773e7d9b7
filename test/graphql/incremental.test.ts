import {
  buildSchema,
  GraphQLDeferDirective,
  GraphQLSchema,
  GraphQLStreamDirective,
  parse,
  specifiedDirectives,
} from 'graphql';
import { expect, test } from 'vitest';
import type { OperationContext } from '../../src/graphql/context.ts';
import { executeReference } from '../../src/graphql/executor/compiled-execution.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';

const plain = buildSchema(
  'interface Named { name: String! } type Pen implements Named { name: String! } type Query { pens: [Named!]! name: String! }',
);
const schema = new GraphQLSchema({
  ...plain.toConfig(),
  directives: [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective],
});
const { pens, name } = schema.getQueryType()?.getFields() ?? {};
if (!pens || !name) throw new Error('a field is missing');
pens.resolve = () => ['red', 'blue'].map((each) => ({ __typename: 'Pen', name: each }));
name.resolve = () => 'root';

test.for([
  ['{ name ... @defer { n: name } }', { name: 'root', n: 'root' }],
  ['{ ...F @defer(label: "f") } fragment F on Query { name }', { name: 'root' }],
  [
    'query ($all: Boolean = true) { pens @stream(initialCount: 1, if: $all) { ... @defer { name } } }',
    { pens: [{ name: 'red' }, { name: 'blue' }] },
  ],
] as const)(
  'in a schema that has @defer and @stream, an operation is answered in one piece: %s',
  async ([text, data]) => {
    const operation = prepareOperation(schema, parse(text));
    const { variableValues } = operation?.coerce({}) ?? {};
    if (!operation || !variableValues) throw new Error('there is no operation');
    expect(await executeReference(operation.args, true)).toEqual({ data });
    const compiled = operation.compiled?.(variableValues, {} as OperationContext);
    if (compiled !== undefined) expect(JSON.parse(await compiled)).toEqual(data);
  },
);
