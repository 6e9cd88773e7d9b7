import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
  print,
  type VariableValues,
} from 'graphql';
import { collectFields, fragmentsOf } from './compiled/collect-fields.ts';
import { type CompiledOperation, compile } from './compiled/compile.ts';
import { type CostPlan, planCost } from './limits/cost-plan.ts';

/** A valid operation, looked into once. */
export interface Operation {
  readonly document: DocumentNode;
  readonly name: string | undefined;
  /** What it is called where it is told of. */
  readonly label: string;
  /** The same for the same operation of the same text. */
  readonly id: string;
  /** The variables with the document's defaults, or undefined where they do not fit. */
  readonly coerce: (variables: Readonly<Record<string, unknown>>) => VariableValues | undefined;
  readonly compiled: CompiledOperation | undefined;
  readonly cost: CostPlan;
  /** The fields of the query root that it selects, however they are spread over fragments. */
  readonly rootFields: ReadonlySet<string>;
  /** Whether each execution has an effect of its own (it counts a view), so that none may stand for another. */
  readonly isCounted: boolean;
  /** Whether counting is all that it does: views wait in a queue that has bounds of its own. */
  readonly isOnlyCounted: boolean;
}

/** @returns undefined where the name picks no operation; the executor then says so */
export const prepareOperation = (
  schema: GraphQLSchema,
  document: DocumentNode,
  name?: string | null,
): Operation | undefined => {
  const definition = getOperationAST(document, name);
  const queryFields = schema.getQueryType()?.getFields();
  if (!definition || !queryFields) return undefined;
  const rootFields = rootFieldsOf(document, definition);
  const isCounted = (field: string): boolean => queryFields[field]?.extensions.isCounted === true;
  return {
    document,
    name: name ?? undefined,
    label: definition.name?.value ?? 'anonymous',
    id: hash('sha1', `${document.loc?.source.body ?? print(document)}\0${name ?? ''}`, 'base64url'),
    // The first error ends it: the executor finds it again, and up to fifty others.
    coerce: (variables) =>
      getVariableValues(schema, definition.variableDefinitions ?? [], variables, { maxErrors: 0 }).variableValues,
    compiled: compile(schema, document, definition),
    cost: planCost(schema, document, definition),
    rootFields,
    isCounted: [...rootFields].some(isCounted),
    isOnlyCounted: [...rootFields].every((field) => field === '__typename' || isCounted(field)),
  };
};

/** Also of a document that is not valid, as far as it goes. */
export const rootFieldsOf = (document: DocumentNode, { selectionSet }: OperationDefinitionNode): Set<string> =>
  new Set([...collectFields([selectionSet], fragmentsOf(document)).values()].flat().map(({ name }) => name.value));
