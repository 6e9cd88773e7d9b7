import { hash } from 'node:crypto';
import {
  DirectiveLocation,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLDeferDirective,
  GraphQLDirective,
  type GraphQLSchema,
  GraphQLStreamDirective,
  GraphQLString,
  getDirectiveValues,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  TypeInfo,
  type VariableDefinitionNode,
  type VariableValues,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledOperation, compile } from './executor/compile.ts';
import { type LateFields, lateFieldsOf } from './late-values.ts';
import { type Cost, checkCost, costOf, isWithin } from './limits/cost.ts';
import { fieldsIn, type MergedField, objectTypesOf, rootOf } from './selection.ts';

/** The language of a whole operation, as Shopify's storefronts ask for it. */
export const IN_CONTEXT = new GraphQLDirective({
  name: 'inContext',
  description: 'In which language texts are shown.',
  locations: [DirectiveLocation.QUERY, DirectiveLocation.SUBSCRIPTION],
  args: {
    language: {
      type: GraphQLString,
      description:
        'A tag of BCP 47: `de-AT` is answered in German where there is no Austrian German, and in the first language where there is neither. Absent or null: as the header `Accept-Language` says.',
    },
  },
});

type Coerced = ReturnType<typeof getVariableValues>;

/** A valid operation, prepared once for all of its executions. */
export interface Operation extends LateFields {
  readonly label: string;
  /** Equal for equal documents and names. */
  readonly id: string;
  /** The text of the variables that were sent, or of their defaults: coerced values may have no text, or the same one. */
  readonly textOf: (variables: VariableValues) => string;
  /** The variables of a request, coerced by the operation's types and defaults, or their faults. */
  readonly coerce: (variables: Readonly<Record<string, unknown>>) => Coerced;
  /** What graphql-js executes it by, without variables and context. */
  readonly args: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName' | 'hideSuggestions'>;
  /** Undefined where it cannot be compiled. It is compiled when it is first asked for. */
  readonly compiled: CompiledOperation | undefined;
  /** The tag of the language that the document names. */
  readonly languageTag: (variables: VariableValues) => string | undefined;
  /** @param variables undefined: the most that any variables could make it cost */
  readonly costOf: (variables?: VariableValues) => Cost;
  /** @throws AppError QUERY_TOO_COMPLEX */
  readonly checkCost: (maximum: number, variables: VariableValues) => void;
  readonly isSubscription: boolean;
  /** Writes what of a result makes an event where it changes: undefined where all of it does. */
  readonly textOfEvent: ((result: ExecutionResult) => string) | undefined;
  /** The fields of the root type that it selects, fragments written out. */
  readonly rootFields: ReadonlySet<string>;
  /** Whether it asks for the schema alone, which never changes. */
  readonly isOfSchema: boolean;
}

/** Each takes a tenth of a millisecond to make. */
const MAX_VARIABLE_ERRORS = 10;

/**
 * @param hideSuggestions whether errors in variables leave out "did you mean …"
 * @returns undefined where the name selects no operation
 */
export const prepareOperation = (
  schema: GraphQLSchema,
  given: DocumentNode,
  name?: string | null,
  hideSuggestions = false,
): Operation | undefined => {
  const asked = getOperationAST(given, name);
  const document = visit(given, { Directive: (each) => (LEFT_OUT.includes(each.name.value) ? null : undefined) });
  const definition = getOperationAST(document, name);
  const rootType = definition && schema.getRootType(definition.operation);
  if (!asked || !definition || !rootType) return undefined;
  const { variableDefinitions = [] } = definition;
  const roots = fieldsIn(document, schema)(rootOf(definition), [rootType]);
  const rootFields = namesOf(roots);
  const isSubscription = definition.operation === OperationTypeNode.SUBSCRIPTION;
  let compiled: CompiledOperation | undefined | null = null;
  let mostCost: Cost | undefined;
  return {
    label: definition.name?.value ?? 'anonymous',
    id: hash('sha1', `${print(given)}\0${name ?? ''}`, 'base64url'),
    textOf: textsOf(variableDefinitions),
    coerce: (variables) =>
      getVariableValues(schema, variableDefinitions, variables, { hideSuggestions, maxErrors: MAX_VARIABLE_ERRORS }),
    args: { schema, document, operationName: name, hideSuggestions },
    get compiled() {
      if (compiled === null) compiled = compile(schema, document, definition);
      return compiled;
    },
    languageTag: (variables) =>
      (getDirectiveValues(IN_CONTEXT, asked, variables)?.language as string | null) ?? undefined,
    costOf: (variables) => costOf(schema, document, definition, variables),
    checkCost: (maximum, variables) => {
      // Most operations cost too little whatever their variables are.
      mostCost ??= costOf(schema, document, definition, undefined, Number.POSITIVE_INFINITY);
      if (!isWithin(mostCost, maximum)) checkCost(costOf(schema, document, definition, variables), maximum);
    },
    isSubscription,
    textOfEvent: isSubscription ? textOfEventOf(schema, document) : undefined,
    rootFields,
    ...lateFieldsOf(rootType, roots),
    isOfSchema: [...rootFields].every((field) => field.startsWith('__')),
  };
};

/**
 * Directives that are not executed: the language is known before, and with `@defer` or `@stream`, in a schema that has them, a server may answer in
 * one piece, which is kept and shared as any other.
 */
const LEFT_OUT: readonly string[] = [IN_CONTEXT, GraphQLDeferDirective, GraphQLStreamDirective].map(({ name }) => name);

const textsOf = (definitions: readonly VariableDefinitionNode[]): Operation['textOf'] => {
  const defaults = definitions.map(({ variable, defaultValue }): [name: string, value: unknown] => [
    variable.name.value,
    defaultValue && valueFromASTUntyped(defaultValue),
  ]);
  return ({ sources }) => {
    const texts = defaults.map(([name, byDefault]) => {
      const value = sources[name]?.value;
      return [name, value === undefined ? byDefault : value];
    });
    return JSON.stringify(Object.fromEntries(texts));
  };
};

/** The fields of the root type that an operation selects, also where the document is not valid. */
export const rootFieldsOf = (document: DocumentNode, definition: OperationDefinitionNode): Set<string> =>
  namesOf(fieldsIn(document)(rootOf(definition)));

const namesOf = (fields: ReadonlyMap<string, MergedField>): Set<string> =>
  new Set([...fields.values()].flat().map(({ node }) => node.name.value));

/** It leaves out the fields whose change alone is no event, those with `extensions: { isSilent: true }`. */
const textOfEventOf = (schema: GraphQLSchema, document: DocumentNode): Operation['textOfEvent'] => {
  const typeInfo = new TypeInfo(schema);
  const isSilentByKey = new Map<string, boolean>();
  const note = ({ name, alias }: FieldNode): void => {
    const key = (alias ?? name).value;
    const parent = typeInfo.getParentType();
    const types = parent ? objectTypesOf(schema, parent) : [];
    // The result does not say which type an object has: a key that is silent in some of them alone makes an event.
    const isSilent = types.every((type) => schema.getField(type, name.value)?.extensions.isSilent === true);
    isSilentByKey.set(key, isSilent && isSilentByKey.get(key) !== false);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Field: note }));
  const isSilent = (key: string): boolean => isSilentByKey.get(key) === true;
  if (![...isSilentByKey.keys()].some(isSilent)) return undefined;
  return ({ data }) => JSON.stringify(data, (key, value) => (isSilent(key) ? undefined : value));
};
