import { type DocumentNode, type ExecutionArgs, Kind, specifiedScalarTypes, visit } from 'graphql';
import type { GatewayPlugin, ServerContext } from './context.ts';
import { rootFieldsOf } from './operation.ts';
import type { Documents } from './use-documents.ts';

/** Admits callers by the root fields that they select. Without admission, nobody learns what is wrong with a document either. */
export const useAccess = (documents: Documents, isRestricted: boolean): GatewayPlugin => {
  if (!isRestricted) return {};
  const invalid = new WeakMap<object, DocumentNode>();

  const admit = ({ args }: { args: Pick<ExecutionArgs, 'document' | 'operationName' | 'contextValue'> }) => {
    const { call, state } = args.contextValue as ServerContext;
    const operation = state.isAdmitted ? undefined : documents.prepare(args.document, args.operationName);
    return operation && call.admit(operation.rootFields);
  };

  return {
    onValidate:
      ({ context, params }) =>
      ({ valid }) => {
        if (!valid) invalid.set(context.state, params.documentAST);
      },
    onExecutionResult: async ({ context }) => {
      const document = invalid.get(context.state);
      if (document) await context.call.admit(namesIn(document));
    },
    onExecute: admit,
    onSubscribe: admit,
  };
};

const SCALARS: ReadonlySet<string> = new Set(specifiedScalarTypes.map(({ name }) => name));

/**
 * What the errors of a document may tell of: the root fields of all its operations, whichever is asked for, and the types that it names, as fragments and
 * variables do. No type is a public field.
 */
const namesIn = (document: DocumentNode): Set<string> => {
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const names = new Set(operations.flatMap((operation) => [...rootFieldsOf(document, operation)]));
  visit(document, {
    NamedType: ({ name }) => {
      if (!SCALARS.has(name.value)) names.add(name.value);
    },
  });
  return names;
};
