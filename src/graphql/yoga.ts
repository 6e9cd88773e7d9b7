import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, Kind } from 'graphql';
import type { FetchAPI, Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { ErrorCode } from '../errors.ts';
import { stackless } from '../fast-path/stackless.ts';
import { type GatewayRequest, type GatewayResponse, GRAPHQL_PATH } from '../http/message.ts';
import type { Call } from '../http/route.ts';
import { createMaskError, ExecutionFailed, type MaskError } from './failures.ts';
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
 * Yoga is loaded with the first of them, because it is half of all code that there is to load. Where the errors are known, only its last step
 * runs, which writes a result: the way through the whole of Yoga costs 600 µs of CPU.
 */
export interface FailureResponses {
  readonly create: (
    failed: Failed,
    request: GatewayRequest,
    caller: YogaCaller,
    contentType: string,
  ) => Promise<GatewayResponse>;
  readonly load: () => Promise<unknown>;
}

type YogaCaller = Pick<Call, 'requestContext' | 'log'>;

interface YogaCall {
  readonly caller: YogaCaller;
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
  const loadOnce = async () => {
    const { createYoga, processRegularResult } = await import('graphql-yoga');
    const server = createYoga<YogaCall, Record<never, never>>({
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
      maskedErrors: { maskError: createMaskError(() => log), errorMessage: '' },
      plugins: [useFailed()],
    });
    return { server, processRegularResult };
  };
  let loaded: ReturnType<typeof loadOnce> | undefined;
  const load = () => {
    loaded ??= loadOnce();
    return loaded;
  };

  return {
    load,
    create: async (failed, request, caller, contentType) => {
      const { server, processRegularResult } = await load();
      const [accept = ''] = contentType.split(';');
      const result = stackless(() => resultOf(failed, request, createMaskError(caller.log)));
      if (result) {
        noteCode(result, caller);
        // Yoga copies the errors without what is internal.
        const written = stackless(() => processRegularResult(result, WRITES_ONLY, accept));
        const { status, headers, body } = written as unknown as WrittenResult;
        return toResponse(status, new Headers(headers), contentType, body);
      }
      const { method, target, body } = request;
      const headers = { accept, 'content-type': 'application/json' };
      const call = { caller, failed };
      const response = await (method === 'POST' && Buffer.isBuffer(body)
        ? server.fetch(ORIGIN + GRAPHQL_PATH, { method: 'POST', headers, body: readText(body) }, call)
        : server.fetch(new URL(ORIGIN + target).href, { method: 'GET', headers }, call));
      return toResponse(response.status, response.headers, contentType, await response.text());
    },
  };
};

const toResponse = (
  status: number,
  headers: Pick<Headers, 'get'>,
  contentType: string,
  body: string,
): GatewayResponse => {
  const responseHeaders: Record<string, string> = {
    'content-type': contentType,
    'cache-control': 'no-store',
    vary: 'accept',
  };
  for (const name of HEADERS_OF_YOGA) {
    const value = headers.get(name);
    if (value !== null) responseHeaders[name] = value;
  }
  return { status, headers: responseHeaders, body };
};

/** Stands for the `Response` of Yoga's last step: making one that nobody reads as a stream costs 12 µs. */
class WrittenResult {
  readonly body: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: string, { status, headers }: Pick<WrittenResult, 'status' | 'headers'>) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

const WRITES_ONLY = { Response: WrittenResult } as unknown as FetchAPI;

/** The result of a request that failed; undefined where Yoga finds the error itself: in parameters, or a mutation by GET. */
const resultOf = (failed: Failed, { method }: GatewayRequest, mask: MaskError): ExecutionResult | undefined => {
  if (failed.at === 'parameters' || failed.at === 'operation') return undefined;
  if (failed.at === 'parsing') return { errors: [mask(withCode(failed.error, 'GRAPHQL_PARSE_FAILED'))] };
  if (method !== 'POST' && hasMutation(failed.document)) return undefined;
  if (failed.at === 'validation') {
    return { errors: failed.errors.map((error) => mask(withCode(error, 'GRAPHQL_VALIDATION_FAILED'))) };
  }
  const { error, cost } = failed;
  if (!(error instanceof ExecutionFailed)) return { errors: [mask(error)] };
  const { data, errors } = error;
  return { errors, ...(data === undefined ? {} : { data }), ...(cost ? { extensions: { cost } } : {}) };
};

const withCode = (error: unknown, code: ErrorCode): unknown => {
  if (error instanceof GraphQLError && error.extensions.code === undefined) Object.assign(error.extensions, { code });
  return error;
};

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
  onResultProcess: ({ result, serverContext: { caller } }) => noteCode(result as ExecutionResult, caller),
});

/** The first error of a result is the error of the request in log and metrics. */
const noteCode = ({ errors = [], data }: ExecutionResult, { requestContext }: YogaCaller): void => {
  const codes = errors.map(({ extensions }) => extensions.code);
  const [code] = codes;
  const isAll = (data ?? null) === null && codes.every((each) => each === code);
  if (code !== undefined) requestContext.failWith(String(code), isAll);
};

const disagreed = (at: Failed['at']): Error => new Error(`Yoga goes on after a request has failed at its ${at}`);
