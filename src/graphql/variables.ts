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

interface SimpleLeaf {
  readonly type: GraphQLLeafType;
  /** Whether the type takes a value, as far as that is seen at once. */
  readonly isRight: (value: unknown) => boolean;
}

const simpleLeafOf = (schema: GraphQLSchema, definition: VariableDefinitionNode): SimpleLeaf | undefined => {
  const declared = typeFromAST(schema, definition.type);
  const type = declared && getNullableType(declared);
  if (type === GraphQLInt) return { type, isRight: (value) => typeof value === 'number' && (value | 0) === value };
  if (type === GraphQLFloat) return { type, isRight: Number.isFinite };
  if (type === GraphQLString) return { type, isRight: (value) => typeof value === 'string' };
  if (type === GraphQLBoolean) return { type, isRight: (value) => typeof value === 'boolean' };
  if (isEnumType(type)) return { type, isRight: (value) => typeof value === 'string' && !!type.getValue(value) };
  return undefined;
};
