import type { ExecutionArgs } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { GRAPHQL_PATH } from '../http/message.ts';
import type { GatewayPlugin, ServerContext } from './server-context.ts';
import type { Documents } from './use-documents.ts';

/** Says for the log, the metrics and the trace which operation a request is for, and with which error it ends. */
export const useObservation = (documents: Documents): GatewayPlugin => {
  const observe = ({ args }: { args: ExecutionArgs }): void => {
    const { call, rest } = args.contextValue as ServerContext;
    const operation = documents.prepare(args);
    // The paths of adapters are counted as such.
    if (operation && !rest) call.requestContext.isFor('graphql', operation.label, GRAPHQL_PATH);
  };

  return {
    onExecute: observe,
    onSubscribe: observe,
    onResultProcess: ({ result, serverContext: { call } }) => {
      if (isAsyncIterable(result) || Array.isArray(result) || !result.errors?.length) return;
      // The first error of a result is the error of the request.
      const code = result.errors[0]?.extensions.code;
      if (typeof code === 'string') call.requestContext.code = code;
    },
  };
};
