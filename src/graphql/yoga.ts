import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { type GatewayRequest, type GatewayResponse, GRAPHQL_PATH } from '../http/message.ts';
import type { Call } from '../http/route.ts';
import { createMaskError, ExecutionFailed, type MaskError, type MaskedError } from './failures.ts';
import type { CostReport } from './limits/cost.ts';
import { readText } from './parse-request.ts';

/** Why a GraphQL request has no result, or one with errors. */
export type Failed =
  /** Yoga reads them again, and says what is wrong. */
  | { readonly at: 'parameters' }
  | { readonly at: 'parsing'; readonly error: unknown }
  /** The name selects none. */
  | { readonly at: 'operation'; readonly document: DocumentNode }
  | {
      readonly at: 'validation';
      readonly document: DocumentNode;
      /** The operation that was to be run. */
      readonly definition: OperationDefinitionNode;
      readonly errors: readonly GraphQLError[];
    }
  | {
      readonly at: 'execution';
      readonly document: DocumentNode;
      readonly error: unknown;
      /** Where the request asked for it. */
      readonly cost: CostReport | undefined;
    };

/**
 * Writes the response to a GraphQL request that failed: https://graphql.github.io/graphql-over-http/draft/
 * Errors that Yoga finds (in parameters, a mutation by GET) are written by Yoga, which is loaded with the first of them: it is half of all code
 * that there is to load, for which the process stands still for 0.1 s, and takes 10 to 20 MB. Its way takes 600 µs of CPU, and its last step alone,
 * which writes errors that are known, took 10 µs more than this.
 */
export type WriteFailure = (
  failed: Failed,
  request: GatewayRequest,
  caller: YogaCaller,
  contentType: string,
) => GatewayResponse | Promise<GatewayResponse>;

type YogaCaller = Pick<Call, 'requestContext' | 'log'>;

interface YogaCall {
  readonly caller: YogaCaller;
  readonly failed: Failed;
}

type YogaPlugin = Plugin<Record<never, never>, YogaCall>;

/** A host that is never looked up: the one that the client names is not trusted. */
const ORIGIN = 'http://gateway.invalid';

/** The headers that an error may set. */
const HEADERS_OF_ERRORS = ['allow', 'retry-after', 'www-authenticate'];

// Yoga matches this against the end of the whole URL, query included; no URL has a space.
const NO_HEALTH_CHECK = ' ';

export const createFailureWriter = (schema: GraphQLSchema, log: Logger): WriteFailure => {
  const mask = createMaskError(() => log);
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
      maskedErrors: { maskError: (error) => forYoga(error, mask(error)), errorMessage: '' },
      plugins: [useFailed()],
    });
  };
  let loaded: ReturnType<typeof loadOnce> | undefined;

  const byYoga = async (call: YogaCall, request: GatewayRequest, contentType: string): Promise<GatewayResponse> => {
    loaded ??= loadOnce();
    const server = await loaded;
    const [accept = ''] = contentType.split(';');
    const { method, target, body } = request;
    const headers = { accept, 'content-type': 'application/json' };
    const response = await (method === 'POST' && Buffer.isBuffer(body)
      ? server.fetch(ORIGIN + GRAPHQL_PATH, { method: 'POST', headers, body: readText(body) }, call)
      : server.fetch(new URL(ORIGIN + target).href, { method: 'GET', headers }, call));
    const ofErrors = HEADERS_OF_ERRORS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    return {
      status: response.status,
      headers: { ...headersOf(contentType), ...Object.fromEntries(ofErrors) },
      body: await response.text(),
    };
  };

  return (failed, request, caller, contentType) => {
    const result = resultOf(failed, request, createMaskError(caller.log));
    if (!result) return byYoga({ caller, failed }, request, contentType);
    noteCode(
      result.errors.map(({ shown }) => shown.extensions.code),
      result.data,
      caller,
    );
    return toResponse(result, contentType);
  };
};

const headersOf = (contentType: string): GatewayResponse['headers'] => ({
  'content-type': contentType,
  'cache-control': 'no-store',
  vary: 'accept',
});

/** A result with errors, its members in the order of the specification. */
interface FailedResult extends Pick<ExecutionResult, 'data' | 'extensions'> {
  readonly errors: readonly MaskedError[];
}

const toResponse = ({ errors, data, extensions }: FailedResult, contentType: string): GatewayResponse => {
  const isJson = contentType.startsWith('application/json');
  const headers = headersOf(contentType);
  // The greatest of the statuses that the errors ask for. In application/json, an error of GraphQL asks for none.
  let status = 0;
  for (const { http } of errors) {
    if (!http) continue;
    if (http.headers) {
      for (const name of HEADERS_OF_ERRORS) {
        const value = http.headers[name];
        if (value !== undefined) headers[name] = value;
      }
    }
    if (http.status > status && !(isJson && http.spec)) status = http.status;
  }
  const body = JSON.stringify({ errors: errors.map(({ shown }) => shown), data, extensions });
  return { status: status || 200, headers, body };
};

/** The result of a request that failed; undefined where Yoga finds the error itself: in parameters, or a mutation by GET. */
const resultOf = (failed: Failed, { method }: GatewayRequest, mask: MaskError): FailedResult | undefined => {
  if (failed.at === 'parameters' || failed.at === 'operation') return undefined;
  if (failed.at === 'parsing') return { errors: [mask(failed.error, 'GRAPHQL_PARSE_FAILED')] };
  if (method !== 'POST' && hasMutation(failed.document)) return undefined;
  if (failed.at === 'validation') {
    return { errors: failed.errors.map((error) => mask(error, 'GRAPHQL_VALIDATION_FAILED')) };
  }
  const { error, cost } = failed;
  if (!(error instanceof ExecutionFailed)) return { errors: [mask(error)] };
  const { data, errors } = error;
  return { errors, ...(data === undefined ? {} : { data }), ...(cost ? { extensions: { cost } } : {}) };
};

/** An error that Yoga has found, or met on its way, as Yoga writes it. */
const forYoga = (error: unknown, { shown: { message, extensions }, http, cause }: MaskedError): GraphQLError =>
  new GraphQLError(message, {
    ...(error instanceof GraphQLError && { nodes: error.nodes ?? null, path: error.path ?? null }),
    originalError: cause ?? null,
    extensions: { ...extensions, ...(http && { http: { ...http, headers: { ...http.headers } } }) },
  });

const hasMutation = ({ definitions }: DocumentNode): boolean =>
  definitions.some((each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === 'mutation');

/** Gives Yoga the failure at the step where it happened. Nothing is parsed or validated a second time. */
const useFailed = (): YogaPlugin => ({
  onParse: ({ context, setParseFn }) => {
    setParseFn(() => {
      const { failed } = context as typeof context & YogaCall;
      if (failed.at === 'parameters' || failed.at === 'parsing') throw disagreed(failed.at);
      return failed.document;
    });
  },
  onValidate: ({ context, setResult }) => {
    const { failed } = context as typeof context & YogaCall;
    setResult(failed.at === 'validation' ? [...failed.errors] : []);
  },
  onExecute: ({ args, setExecuteFn }) => {
    setExecuteFn(() => {
      throw disagreed((args.contextValue as typeof args.contextValue & YogaCall).failed.at);
    });
  },
  onResultProcess: ({ result, serverContext: { caller } }) => {
    const { errors = [], data } = result as ExecutionResult;
    noteCode(
      errors.map(({ extensions }) => extensions.code),
      data,
      caller,
    );
  },
});

/** The first error of a result is the error of the request in log and metrics. */
const noteCode = (codes: readonly unknown[], data: ExecutionResult['data'], { requestContext }: YogaCaller): void => {
  const [code] = codes;
  const isAll = (data ?? null) === null && codes.every((each) => each === code);
  if (code !== undefined) requestContext.failWith(String(code), isAll);
};

const disagreed = (at: Failed['at']): Error => new Error(`Yoga goes on after a request has failed at its ${at}`);
