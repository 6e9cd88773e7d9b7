import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { type CompiledOperation, compile } from './compiled/compile.ts';

/** A valid operation, looked into once. */
export interface Operation {
  readonly document: DocumentNode;
  readonly name: string | undefined;
  /** The same for the same operation of the same text. */
  readonly id: string;
  /** The variables with the document's defaults, or undefined where they do not fit. */
  readonly coerce: (variables: Readonly<Record<string, unknown>>) => VariableValues | undefined;
  readonly compiled: CompiledOperation | undefined;
  /** The fields of the query root that it selects, however they are spread over fragments. */
  readonly rootFields: ReadonlySet<string>;
  /** Whether each execution has an effect of its own (it counts a view), so that none may stand for another. */
  readonly isCounted: boolean;
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
  return {
    document,
    name: name ?? undefined,
    id: hash('sha1', `${document.loc?.source.body ?? print(document)}\0${name ?? ''}`, 'base64url'),
    coerce: (variables) => getVariableValues(schema, definition.variableDefinitions ?? [], variables).variableValues,
    compiled: compile(schema, document, definition),
    rootFields,
    isCounted: [...rootFields].some((field) => queryFields[field]?.extensions.isCounted),
  };
};

const rootFieldsOf = (document: DocumentNode, operation: OperationDefinitionNode): Set<string> => {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const names = new Set<string>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return names;
};
