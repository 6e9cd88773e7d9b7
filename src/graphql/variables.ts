import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLFloat,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLSchema,
  GraphQLString,
  getLocation,
  getNullableType,
  getVariableValues,
  isEnumType,
  isInputType,
  typeFromAST,
  type VariableDefinitionNode,
  type VariableValues,
} from 'graphql';

/** The variables of a request, coerced by the operation's types and defaults, or their faults. */
export type Coerced = VariableValues | Faults;

type Faults = readonly (GraphQLError | WrongValue)[];

export const isCoerced = (coerced: Coerced): coerced is VariableValues => !Array.isArray(coerced);

/** What graphql-js makes a GraphQLError of, and that of another one. */
export class WrongValue implements Pick<GraphQLError, 'message' | 'locations' | 'path' | 'extensions'> {
  readonly message: string;
  readonly locations: GraphQLError['locations'];
  readonly path = undefined;
  readonly extensions: GraphQLError['extensions'];

  constructor(message: string, { loc }: VariableDefinitionNode, extensions: GraphQLError['extensions']) {
    this.message = message;
    this.locations = loc && [getLocation(loc.source, loc.start)];
    this.extensions = extensions;
  }
}

type Given = Readonly<Record<string, unknown>>;

/**
 * Coerces variables by `getVariableValues` of graphql-js, with the same faults. That function coerces a wrong value twice, and makes three errors
 * of it; here the value of a scalar or an enum that is not at first sight right is coerced once, before: docs/fast-path.md has the figures.
 * @param hideSuggestions whether errors leave out "did you mean …"
 */
export const variableReader = (
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  hideSuggestions: boolean,
): ((given: Given) => Coerced) => {
  const variables = definitions.map((definition) => ({
    definition,
    name: definition.variable.name.value,
    leaf: simpleLeafOf(schema, definition),
  }));

  /** Undefined where a variable is absent, of another type, or not at first sight right. */
  const takeRight = (given: Given): VariableValues | undefined => {
    const sources = new ByName<VariableValues['sources'][string]>();
    const coerced = new ByName<unknown>();
    for (const { name, leaf } of variables) {
      const value = givenFor(given, name);
      if (!leaf?.isRight(value)) return undefined;
      sources[name] = { signature: leaf.signature, value };
      coerced[name] = leaf.internal(value);
    }
    return { sources, coerced };
  };

  const faultsOf = ({ definition, name, leaf }: (typeof variables)[number], given: Given): Faults => {
    const value = givenFor(given, name);
    if (leaf && !isAbsent(value)) {
      try {
        leaf.type.coerceInputValue(value, hideSuggestions);
        return [];
      } catch (error) {
        if (error instanceof GraphQLError) {
          return [
            new WrongValue(`Variable "$${name}" has invalid value: ${error.message}`, definition, error.extensions),
          ];
        }
      }
    }
    return getVariableValues(schema, [definition], given, { hideSuggestions }).errors ?? [];
  };

  return (given) => {
    const right = takeRight(given);
    if (right) return right;
    const isSuspect = variables.some(({ name, leaf }) => {
      const value = givenFor(given, name);
      return leaf && !isAbsent(value) && !leaf.isRight(value);
    });
    const faults = isSuspect ? variables.flatMap((variable) => faultsOf(variable, given)) : [];
    if (faults.length > 0) return faults;
    const { errors, variableValues } = getVariableValues(schema, definitions, given, { hideSuggestions });
    return errors ?? variableValues;
  };
};

const givenFor = (given: Given, name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Without names of a prototype, as the objects of graphql-js; those have slow properties, which take V8 several times as long to write and read. */
const ByName = function ByName() {} as unknown as new <Value>() => Record<string, Value>;
ByName.prototype = Object.create(null);

interface SimpleLeaf {
  readonly type: GraphQLLeafType;
  readonly signature: VariableValues['sources'][string]['signature'];
  /** Whether the type takes a value, as far as that is seen at once. */
  readonly isRight: (value: unknown) => boolean;
  /** What the type makes of a value that is right. */
  readonly internal: (value: unknown) => unknown;
}

const simpleLeafOf = (schema: GraphQLSchema, definition: VariableDefinitionNode): SimpleLeaf | undefined => {
  const declared = typeFromAST(schema, definition.type);
  if (!declared || !isInputType(declared)) return undefined;
  const type = getNullableType(declared);
  const { defaultValue: literal } = definition;
  const signature = { name: definition.variable.name.value, type: declared, default: literal && { literal } };
  const leafOf = (
    leaf: GraphQLLeafType,
    isRight: SimpleLeaf['isRight'],
    internal: SimpleLeaf['internal'] = (value) => value,
  ): SimpleLeaf => ({ type: leaf, signature, isRight, internal });
  if (type === GraphQLInt) return leafOf(type, (value) => typeof value === 'number' && (value | 0) === value);
  if (type === GraphQLFloat) return leafOf(type, Number.isFinite);
  if (type === GraphQLString) return leafOf(type, (value) => typeof value === 'string');
  if (type === GraphQLBoolean) return leafOf(type, (value) => typeof value === 'boolean');
  if (isEnumType(type)) {
    const enumValue = (name: unknown) => (typeof name === 'string' ? type.getValue(name) : undefined);
    return leafOf(
      type,
      (name) => enumValue(name) !== undefined,
      (name) => enumValue(name)?.value,
    );
  }
  return undefined;
};
