import { type DocumentNode, type ExecutionArgs, getOperationAST } from 'graphql';
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
    onExecutionResult: async ({ context: { call, params } }) => {
      const document = invalid.get(call);
      const definition = document && getOperationAST(document, params.operationName);
      if (definition) await call.admit(rootFieldsOf(document, definition));
    },
    onExecute: admit,
    onSubscribe: admit,
  };
};
