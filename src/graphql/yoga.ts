import type { DocumentNode, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Caller } from './context.ts';
import { ExecutionFailed } from './run-operation.ts';

/** Why a GraphQL request has no result, or one with errors. */
export type Failed =
  /** They are at fault, and Yoga says how. */
  | { readonly at: 'parameters' }
  | { readonly at: 'parsing'; readonly error: unknown }
  /** The name picks none. */
  | { readonly at: 'operation'; readonly document: DocumentNode }
  | { readonly at: 'validation'; readonly document: DocumentNode; readonly errors: readonly GraphQLError[] }
  | {
      readonly at: 'execution';
      readonly document: DocumentNode;
      readonly error: unknown;
      /** Of the result, beside `data` and `errors`. */
      readonly extensions: Readonly<Record<string, unknown>> | undefined;
    };

/** One request on its way through Yoga. */
export interface YogaCall {
  readonly caller: Caller;
  readonly failed: Failed;
}

type YogaPlugin = Plugin<Record<never, never>, YogaCall>;

/** The two have to agree, because nothing is parsed, validated or executed here. */
const disagreed = (at: Failed['at']): Error => new Error(`Yoga goes on after a request has failed at its ${at}`);

/** Yoga makes the response to a request that failed earlier. */
export const useFailed = (): YogaPlugin => ({
  onParse: ({ context, setParseFn }) => {
    setParseFn(() => {
      const { failed } = context as typeof context & YogaCall;
      if (failed.at === 'parameters') throw disagreed(failed.at);
      if (failed.at === 'parsing') throw failed.error;
      return failed.document;
    });
  },
  onValidate: ({ context, setResult }) => {
    const { failed } = context as typeof context & YogaCall;
    setResult(failed.at === 'validation' ? [...failed.errors] : []);
  },
  onExecute: ({ args, setExecuteFn }) => {
    setExecuteFn(() => {
      const { failed } = args.contextValue as typeof args.contextValue & YogaCall;
      if (failed.at !== 'execution') throw disagreed(failed.at);
      const { error, extensions } = failed;
      if (!(error instanceof ExecutionFailed)) throw error;
      const { data, errors } = error;
      return { errors, ...(data === undefined ? {} : { data }), ...(extensions ? { extensions } : {}) };
    });
  },
});

/** Records the first error of a result, wherever on the way it came from. */
export const useErrorRecord = (): YogaPlugin => ({
  onResultProcess: ({ result, serverContext: { caller } }) => {
    const code = 'errors' in result ? result.errors?.[0]?.extensions.code : undefined;
    if (code !== undefined) caller.requestContext.code = String(code);
  },
});
