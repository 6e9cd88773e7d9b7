import { type DocumentNode, type ExecutionArgs, Kind, specifiedScalarTypes, visit } from 'graphql';
import type { Call } from '../http/route.ts';
import { rootFieldsOf } from './operation.ts';
import type { GatewayPlugin, ServerContext } from './server-context.ts';
import type { Documents } from './use-documents.ts';

/** Admits callers by the root fields that they select. Without admission, nobody learns what is wrong with a document either. */
export const useAccess = (documents: Documents, isRestricted: boolean): GatewayPlugin => {
  if (!isRestricted) return {};
  const invalid = new WeakMap<Call, DocumentNode>();

  const admit = ({ args }: { args: ExecutionArgs }) => {
    const { call } = args.contextValue as ServerContext;
    const operation = documents.prepare(args);
    return operation && call.admit(operation.rootFields);
  };

  return {
    onValidate:
      ({ context, params }) =>
      ({ valid }) => {
        if (!valid) invalid.set(context.call, params.documentAST);
      },
    onExecutionResult: async ({ context: { call } }) => {
      const document = invalid.get(call);
      if (document) await call.admit(namesIn(document));
    },
    onExecute: admit,
    onSubscribe: admit,
  };
};

const SCALARS: ReadonlySet<string> = new Set(specifiedScalarTypes.map(({ name }) => name));

/**
 * The names that the errors of a document may tell of: the root fields of all its operations, whichever is asked for, and the types that it
 * names, as fragments and variables do. No type is a public field.
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
