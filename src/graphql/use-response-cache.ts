import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { bytesOf } from '../cache/cached-response.ts';
import type { Executed } from '../http/route.ts';
import { type BodyForm, GRAPHQL_BODY_WITH_COST, type WrittenResult, writtenResult } from './body-form.ts';
import type { Caller, GatewayPlugin, ServerContext } from './context.ts';
import type { Operation } from './operation.ts';
import { ExecutionFailed, type Run, type RunOperation } from './operation-runner.ts';
import type { Execute } from './use-compiled-execution.ts';
import type { Documents } from './use-documents.ts';

/**
 * Answers operations from the response cache, or executes them by what the plugins before it have set, once for equal requests. Counted views are counted here,
 * and the limit of cost is held. `extensions: { cost: true }` in a request asks for the cost of its operation.
 */
export const useResponseCache = (documents: Documents, runOperation: RunOperation): GatewayPlugin => ({
  onParams: ({ params, context }) => {
    if (params.extensions?.cost === true) context.state.form = GRAPHQL_BODY_WITH_COST;
  },
  onExecute: ({ executeFn, setExecuteFn }) => {
    setExecuteFn((args: ExecutionArgs) => answer(documents, runOperation, args, executeFn as Execute));
  },
});

/** The result of one operation. Its finished body is kept in the state of the request. */
export const answer = async (
  documents: Documents,
  runOperation: RunOperation,
  args: ExecutionArgs,
  execute: Execute,
): Promise<ExecutionResult> => {
  const { call, state } = args.contextValue as ServerContext;
  const operation = documents.prepare(args.document, args.operationName);
  if (!operation) throw new Error('The operation was found before.');
  try {
    state.executed = await runOperation(runOf(operation, args, execute, call));
  } catch (error) {
    return failedResult(error);
  }
  state.result = resultOf(state.executed, state.form);
  return state.result;
};

/** @param caller for whom it is executed */
export const runOf = (operation: Operation, args: ExecutionArgs, execute: Execute, caller: Caller): Run => {
  const { call, state, ...others } = args.contextValue as ServerContext;
  return {
    operation,
    given: args.variableValues ?? {},
    caller,
    form: state.form,
    // What plugins have put into the context is there for resolvers.
    execute: (context) => execute({ ...args, contextValue: { ...others, call, ...context } }),
  };
};

const failedResult = (error: unknown): ExecutionResult => {
  if (!(error instanceof ExecutionFailed)) return { errors: [toGraphQLError(error)] };
  const { errors, data, extensions } = error;
  return data === undefined ? { errors } : { errors, data, ...(extensions && { extensions }) };
};

const toGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError(error instanceof Error ? error.message : String(error), {
        originalError: error instanceof Error ? error : null,
      });

export const executedBytes = ({ answer, body, encoding }: Executed & { encoding?: 'utf8' | 'latin1' }): Buffer =>
  answer ? bytesOf(answer.body) : Buffer.from(body, encoding);

export const resultOf = (executed: Executed, form: BodyForm): WrittenResult => {
  const { status } = executed.answer ?? executed;
  return writtenResult(
    () => executedBytes(executed).toString(),
    (text) => form.toResult(text, status),
    form.hasExtensions,
  );
};
