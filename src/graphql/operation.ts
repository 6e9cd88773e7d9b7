import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  print,
  type ValidatedExecutionArgs,
  type VariableValues,
  validateExecutionArgs,
} from 'graphql';
import { type CompiledOperation, compile } from './executor/compile.ts';
import { type CostPlan, planCost } from './limits/cost.ts';
import { longListFinder } from './limits/long-lists.ts';
import { collectFields, fragmentsOf } from './selection.ts';

/** The variables of a request as the operation's types and defaults make them, or what is wrong with them. */
type Coerced = VariableValues | readonly GraphQLError[];

/** A valid operation, looked into once. */
export interface Operation {
  readonly document: DocumentNode;
  /** What it is called where it is told of. */
  readonly label: string;
  /** The same for the same operation of the same text. */
  readonly id: string;
  readonly coerce: (variables: Readonly<Record<string, unknown>>) => Coerced;
  /** What the reference executor needs, all but the context. */
  readonly executionArgs: (variables: VariableValues) => ValidatedExecutionArgs;
  readonly compiled: CompiledOperation | undefined;
  readonly cost: CostPlan;
  /** The fields of the query root that it selects, however they are spread over fragments. */
  readonly rootFields: ReadonlySet<string>;
  /** Whether each execution has an effect of its own (it counts a view), so that none may stand for another. */
  readonly isCounted: boolean;
  /** The ids of the notices whose views an answer with this data counts. */
  readonly countedIn: (data: Readonly<Record<string, unknown>>, variables: VariableValues) => number[];
  /** Whether counting is all that it does: views wait in a queue that has bounds of its own. */
  readonly isOnlyCounted: boolean;
}

/**
 * @param hideSuggestions whether errors in variables leave out "did you mean …"
 * @returns undefined where the name picks no operation; the executor then says so
 */
export const prepareOperation = (
  schema: GraphQLSchema,
  document: DocumentNode,
  name?: string | null,
  hideSuggestions = false,
): Operation | undefined => {
  const definition = getOperationAST(document, name);
  const queryFields = schema.getQueryType()?.getFields();
  if (!definition || !queryFields) return undefined;
  const roots = collectFields([definition.selectionSet], fragmentsOf(document));
  const rootFields = fieldNames(roots);
  const isCounted = (field: string): boolean => queryFields[field]?.extensions.isCounted === true;
  const findLongList = longListFinder(schema, document, definition);
  let validated: ValidatedExecutionArgs | undefined;
  return {
    document,
    label: definition.name?.value ?? 'anonymous',
    id: hash('sha1', `${document.loc?.source.body ?? print(document)}\0${name ?? ''}`, 'base64url'),
    coerce: (variables) => {
      const fault = findLongList(variables);
      if (fault) return [fault];
      const { errors, variableValues } = getVariableValues(schema, definition.variableDefinitions ?? [], variables, {
        hideSuggestions,
      });
      return errors ?? variableValues;
    },
    executionArgs: (variableValues) => {
      validated ??= validateWithoutVariables(schema, document, definition, hideSuggestions);
      return { ...validated, operation: definition, variableValues };
    },
    compiled: compile(schema, document, definition),
    cost: planCost(schema, document, definition),
    rootFields,
    isCounted: [...rootFields].some(isCounted),
    countedIn: (data, variables) => {
      const ids = new Set<number>();
      for (const [key, [node]] of roots) {
        const field = node && queryFields[node.name.value];
        const isGiven = data[key] !== null && data[key] !== undefined;
        if (!node || !isGiven || field?.extensions.isCounted !== true) continue;
        ids.add(getArgumentValues(field, node, variables).id as number);
      }
      return [...ids];
    },
    isOnlyCounted: [...rootFields].every((field) => field === '__typename' || isCounted(field)),
  };
};

export const isCoerced = (coerced: Coerced): coerced is VariableValues => !Array.isArray(coerced);

/** The reference executor validates a document with each request, and coerces its variables: the first is done once, the second elsewhere. */
const validateWithoutVariables = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions: _, ...operation }: OperationDefinitionNode,
  hideSuggestions: boolean,
): ValidatedExecutionArgs => {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const validated = validateExecutionArgs({
    schema,
    document: { ...document, definitions: [operation, ...fragments] },
    hideSuggestions,
  });
  if (!('schema' in validated)) throw new AggregateError(validated, 'a valid operation cannot be executed');
  return validated;
};

/** The fields of the query root that a document selects, also of one that is not valid, as far as it goes. */
export const rootFieldsOf = (document: DocumentNode, { selectionSet }: OperationDefinitionNode): Set<string> =>
  fieldNames(collectFields([selectionSet], fragmentsOf(document)));

const fieldNames = (fields: ReadonlyMap<string, readonly FieldNode[]>): Set<string> =>
  new Set([...fields.values()].flat().map(({ name }) => name.value));
