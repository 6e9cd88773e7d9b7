import { type DocumentNode, type ExecutionArgs, Kind, specifiedScalarTypes, visit } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { GRAPHQL_PATH } from '../http/message.ts';
import type { Call } from '../http/route.ts';
import { rootFieldsOf } from './operation.ts';
import type { GatewayPlugin, ServerContext } from './server-context.ts';
import type { Documents } from './use-documents.ts';

/**
 * Says for the log, the metrics and the trace which operation a request is for and with which error it ends, and admits its caller by the root
 * fields that it selects. Without admission, nobody learns what is wrong with a document either.
 * @param isRestricted whether a caller needs to be admitted
 */
export const useOperation = (documents: Documents, isRestricted: boolean): GatewayPlugin => {
  const begin = ({ args }: { args: ExecutionArgs }) => {
    const { call, rest } = args.contextValue as ServerContext;
    const operation = documents.prepare(args);
    // The paths of adapters are counted as such.
    if (operation && !rest) call.requestContext.isFor('graphql', operation.label, GRAPHQL_PATH);
    return operation && call.admit(operation.rootFields);
  };
  const observed: GatewayPlugin = {
    onExecute: begin,
    onSubscribe: begin,
    onResultProcess: ({ result, serverContext: { call } }) => {
      if (isAsyncIterable(result) || Array.isArray(result) || !result.errors?.length) return;
      // The first error of a result is the error of the request.
      const code = result.errors[0]?.extensions.code;
      if (typeof code === 'string') call.requestContext.code = code;
    },
  };
  if (!isRestricted) return observed;
  // What is wrong with a document is known before its caller, whose token takes time: the errors wait for that.
  const invalid = new WeakMap<Call, DocumentNode>();
  return {
    ...observed,
    onValidate:
      ({ context, params }) =>
      ({ valid }) => {
        if (!valid) invalid.set(context.call, params.documentAST);
      },
    onExecutionResult: async ({ context: { call } }) => {
      const document = invalid.get(call);
      if (document) await call.admit(namesIn(document));
    },
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
