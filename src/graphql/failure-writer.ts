import { type DocumentNode, type ExecutionResult, GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { GatewayRequest, GatewayResponse } from '../http/message.ts';
import type { Call } from '../http/route.ts';
import { createMaskError, ExecutionFailed, type MaskError, type MaskedError } from './failures.ts';
import type { CostReport } from './limits/cost.ts';
import type { YogaThread } from './yoga-thread.ts';

/** Why a GraphQL request has no result, or one with errors. */
export type Failed =
  /** Yoga reads them again, and says what is wrong. */
  | { readonly at: 'parameters' }
  | { readonly at: 'parsing'; readonly error: unknown }
  /** The name selects none, says Yoga. */
  | { readonly at: 'operation' }
  | {
      readonly at: 'validation';
      readonly document: DocumentNode;
      /** The operation that was to be run. */
      readonly definition: OperationDefinitionNode;
      readonly errors: readonly GraphQLError[];
    }
  | {
      readonly at: 'execution';
      readonly error: unknown;
      /** Where the request asked for it. */
      readonly cost: CostReport | undefined;
    };

/** Writes the response to a GraphQL request that failed: https://graphql.github.io/graphql-over-http/draft/ */
export type WriteFailure = (
  failed: Failed,
  request: GatewayRequest,
  caller: Caller,
  contentType: string,
) => GatewayResponse | Promise<GatewayResponse>;

type Caller = Pick<Call, 'requestContext' | 'log'>;

/** The headers that an error may set. */
const HEADERS_OF_ERRORS = ['allow', 'retry-after', 'www-authenticate'];

export const createFailureWriter =
  ({ faultsOf }: Pick<YogaThread, 'faultsOf'>): WriteFailure =>
  (failed, request, { log, requestContext }, contentType) => {
    const mask = createMaskError(log);
    const write = (result: FailedResult): GatewayResponse => {
      noteCode(result, requestContext);
      return toResponse(result, contentType);
    };
    const result = resultOf(failed, request, mask);
    if (result) return write(result);
    return faultsOf(request).then((faults) =>
      write({ errors: faults.map(({ message, extensions }) => mask(new GraphQLError(message, { extensions }))) }),
    );
  };

/** A result with errors, its members in the order of the specification. */
interface FailedResult extends Pick<ExecutionResult, 'data' | 'extensions'> {
  readonly errors: readonly MaskedError[];
}

/** The result of a request that failed; undefined where Yoga finds the error: in parameters, or a mutation by GET. */
const resultOf = (failed: Failed, { method }: GatewayRequest, mask: MaskError): FailedResult | undefined => {
  switch (failed.at) {
    case 'parameters':
    case 'operation':
      return undefined;
    case 'parsing':
      return { errors: [mask(failed.error, 'GRAPHQL_PARSE_FAILED')] };
    case 'validation':
      if (method !== 'POST' && failed.definition.operation === 'mutation') return undefined;
      return { errors: failed.errors.map((error) => mask(error, 'GRAPHQL_VALIDATION_FAILED')) };
    case 'execution': {
      const { error, cost } = failed;
      if (!(error instanceof ExecutionFailed)) return { errors: [mask(error)] };
      const { data, errors } = error;
      return { errors, ...(data === undefined ? {} : { data }), ...(cost ? { extensions: { cost } } : {}) };
    }
  }
};

const toResponse = ({ errors, data, extensions }: FailedResult, contentType: string): GatewayResponse => {
  const isJson = contentType.startsWith('application/json');
  const headers: Record<string, string> = {
    'content-type': contentType,
    'cache-control': 'no-store',
    vary: 'accept',
  };
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

/** The first error of a result is the error of the request in log and metrics. */
const noteCode = ({ errors, data }: FailedResult, requestContext: Caller['requestContext']): void => {
  const code = errors[0]?.shown.extensions.code;
  const isAll = (data ?? null) === null && errors.every(({ shown }) => shown.extensions.code === code);
  if (code !== undefined) requestContext.failWith(code, isAll);
};
