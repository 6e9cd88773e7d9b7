import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql';
import type { Plugin, YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import { type GatewayRequest, type GatewayResponse, GRAPHQL_PATH } from '../http/message.ts';
import type { Caller } from './context.ts';
import { createMaskError, ExecutionFailed } from './failures.ts';
import type { CostReport } from './limits/cost.ts';
import { readText } from './parse-request.ts';

/** Why a GraphQL request has no result, or one with errors. */
export type Failed =
  /** Yoga reads them again, and says what is wrong. */
  | { readonly at: 'parameters' }
  | { readonly at: 'parsing'; readonly error: unknown }
  /** The name selects none. */
  | { readonly at: 'operation'; readonly document: DocumentNode }
  | { readonly at: 'validation'; readonly document: DocumentNode; readonly errors: readonly GraphQLError[] }
  | {
      readonly at: 'execution';
      readonly document: DocumentNode;
      readonly error: unknown;
      /** Where the request asked for it. */
      readonly cost: CostReport | undefined;
    };

/**
 * Makes the responses to GraphQL requests that failed, by Yoga: https://graphql.github.io/graphql-over-http/draft/
 * Yoga is loaded with the first of them, because it is half of all code that there is to load.
 */
export interface FailureResponses {
  readonly create: (
    failed: Failed,
    request: GatewayRequest,
    caller: Caller,
    contentType: string,
  ) => Promise<GatewayResponse>;
  readonly load: () => Promise<unknown>;
}

interface YogaCall {
  readonly caller: Caller;
  readonly failed: Failed;
}

type YogaPlugin = Plugin<Record<never, never>, YogaCall>;

/** A host that is never looked up: the one that the client names is not trusted. */
const ORIGIN = 'http://gateway.invalid';

/** The headers that Yoga may set. */
const HEADERS_OF_YOGA = ['allow', 'retry-after', 'www-authenticate'];

// Yoga matches this against the end of the whole URL, query included; no URL has a space.
const NO_HEALTH_CHECK = ' ';

export const createFailureResponses = (schema: GraphQLSchema, log: Logger): FailureResponses => {
  let yoga: Promise<YogaServerInstance<YogaCall, Record<never, never>>> | undefined;
  const loadOnce = async () => {
    const { createYoga } = await import('graphql-yoga');
    return createYoga<YogaCall, Record<never, never>>({
      schema,
      graphqlEndpoint: GRAPHQL_PATH,
      landingPage: false,
      graphiql: false,
      cors: false,
      healthCheckEndpoint: NO_HEALTH_CHECK,
      multipart: false,
      batching: false,
      logging: false,
      parserAndValidationCache: false,
      maskedErrors: { maskError: createMaskError(log), errorMessage: '' },
      plugins: [useFailed()],
    });
  };
  const load = () => {
    yoga ??= loadOnce();
    return yoga;
  };

  return {
    load,
    create: async (failed, { method, target, body }, caller, contentType) => {
      const server = await load();
      const [accept = ''] = contentType.split(';');
      const headers = { accept, 'content-type': 'application/json' };
      const call = { caller, failed };
      const response = await (method === 'POST' && Buffer.isBuffer(body)
        ? server.fetch(ORIGIN + GRAPHQL_PATH, { method: 'POST', headers, body: readText(body) }, call)
        : server.fetch(new URL(ORIGIN + target).href, { method: 'GET', headers }, call));
      const responseHeaders: Record<string, string> = {
        'content-type': contentType,
        'cache-control': 'no-store',
        vary: 'accept',
      };
      for (const name of HEADERS_OF_YOGA) {
        const value = response.headers.get(name);
        if (value !== null) responseHeaders[name] = value;
      }
      return { status: response.status, headers: responseHeaders, body: await response.text() };
    },
  };
};

/** Gives Yoga the failure at the step where it happened. Nothing is parsed, validated or executed a second time. */
const useFailed = (): YogaPlugin => ({
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
      const { error, cost } = failed;
      if (!(error instanceof ExecutionFailed)) throw error;
      const { data, errors } = error;
      return { errors, ...(data === undefined ? {} : { data }), ...(cost ? { extensions: { cost } } : {}) };
    });
  },
  // The first error of a result, at whatever step, is the error of the request in log and metrics.
  onResultProcess: ({ result, serverContext: { caller } }) => {
    const code = 'errors' in result ? result.errors?.[0]?.extensions.code : undefined;
    if (code !== undefined) caller.requestContext.code = String(code);
  },
});

const disagreed = (at: Failed['at']): Error => new Error(`Yoga goes on after a request has failed at its ${at}`);
