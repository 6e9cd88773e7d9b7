import { type DocumentNode, type ExecutionArgs, getOperationAST } from 'graphql';
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
      const definition = document && getOperationAST(document, context.params.operationName);
      if (definition) await context.call.admit(rootFieldsOf(document, definition));
    },
    onExecute: admit,
    onSubscribe: admit,
  };
};
