import { PothosValidationError } from '@pothos/core';
import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import type { Logger } from 'pino';
import type { Dependencies } from '../cache/dependencies.ts';
import type { FailureKind } from '../cache/response-cache.ts';
import { isDatabaseUnavailable, isDatabaseUnreachable, ReadAgain, toAppError } from '../database/failures.ts';
import { AppError, ERROR_TABLE, type ErrorCode, Overloaded } from '../errors.ts';
import { validHeaders } from '../http/message.ts';

/**
 * The part of the HTTP response that an error sets, in `extensions.http`:
 * https://the-guild.dev/graphql/yoga-server/docs/features/error-masking#error-codes-and-http-status
 */
export interface HttpPart {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** Whether it is an error of GraphQL, which `application/json` answers with 200. */
  readonly spec?: boolean;
}

/** The part of an `extensions.http` that a response with a body can have: https://fetch.spec.whatwg.org/#concept-status */
const httpPartOf = ({ status, headers, ...others }: Partial<HttpPart>): Partial<HttpPart> => ({
  ...others,
  ...(isStatus(status) ? { status } : {}),
  ...(headers ? { headers: validHeaders(headers) } : {}),
});

const isStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600 && !WITHOUT_BODY.has(status);

const WITHOUT_BODY: ReadonlySet<unknown> = new Set([204, 205, 304]);

/** A result of whose errors and extensions a response can be made. */
export const withHttpParts = (result: ExecutionResult): ExecutionResult => {
  const { errors, extensions } = result;
  if (!errors && !extensions?.http) return result;
  return {
    ...result,
    ...(errors && { errors: errors.map((error) => withHttpPart(error)) }),
    ...(extensions?.http ? { extensions: { ...extensions, http: httpPartOf(extensions.http as HttpPart) } } : {}),
  };
};

const withHttpPart = (error: GraphQLError): GraphQLError => {
  const http = error.extensions?.http as HttpPart | undefined;
  return http
    ? withExtensions(error, { ...error.extensions, http: httpPartOf(http) }, error.message, error.originalError)
    : error;
};

/**
 * Whether it is a GraphQLError, of this copy of graphql or of another:
 * https://the-guild.dev/graphql/envelop/docs/guides/integrating-with-different-graphql-versions
 */
export const isGraphQLError = (error: unknown): error is GraphQLError =>
  // Subclasses, as Pothos has them, have names of their own.
  error instanceof GraphQLError || (error instanceof Error && error.name === 'GraphQLError');

/** The codes that Yoga has for what it finds before it validates, and ours. */
const YOGA_CODES: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'BAD_USER_INPUT',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
  REQUEST_ENTITY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
};

// An error that graphql made is the client's fault where it has a code or no path, because then nothing ran. One with a path, or one that wraps
// another error, comes from a resolver or from a value that does not fit its type, and is ours.
const isClientFault = (error: GraphQLError): boolean =>
  isGraphQLError(rootCause(error)) &&
  (error.extensions?.code !== undefined ||
    error.extensions?.http !== undefined ||
    error.path === undefined ||
    isArgumentFault(error));

// A variable that is null or absent where the argument needs a value is found only while the field runs, and so is a cursor that none of Pothos'
// connections gave.
const isArgumentFault = (error: GraphQLError): boolean =>
  error.message.startsWith('Argument ') || rootCause(error) instanceof PothosValidationError;

/** The error that others were wrapped around. */
const rootCause = (error: unknown): unknown =>
  isGraphQLError(error) && error.originalError ? rootCause(error.originalError) : error;

export type MaskError = (error: unknown) => GraphQLError;

/**
 * Makes the errors that clients see, by GraphQL or REST: they have a code of ERROR_TABLE, and show nothing of a driver or a stack. The
 * AppError that an error is, or became, is its `originalError`.
 * @param log of the request; an error that several requests share is logged once
 */
export const createMaskError = (log: () => Logger): MaskError => {
  const appErrors = new WeakMap<object, AppError>();

  const knownOrNew = (cause: unknown): AppError => {
    if (typeof cause !== 'object' || cause === null) return toAppError(cause, log);
    const known = appErrors.get(cause) ?? toAppError(cause, log);
    appErrors.set(cause, known);
    return known;
  };

  return (error) => {
    if (isGraphQLError(error) && isClientFault(error)) return clientFault(error);
    const cause = knownOrNew(rootCause(error));
    const { code, message, argument, headers, details } = cause;
    // Resolvers find bad arguments, so the response has data and errors together, with status 200 as the specification says. A bare AppError is about
    // the request, not about its operation.
    const isOfOperation = code === 'BAD_USER_INPUT' && isGraphQLError(error);
    const http: HttpPart | undefined =
      isOfOperation && error.path
        ? undefined
        : { status: ERROR_TABLE[code].status, headers: { ...headers }, spec: isOfOperation };
    const extensions = { code, ...(argument ? { argument } : {}), ...details, ...(http ? { http } : {}) };
    return withExtensions(error, extensions, message, cause);
  };
};

/** An error at the same place, if it has one. */
export const withExtensions = (
  error: unknown,
  extensions: GraphQLErrorExtensions,
  message: string,
  originalError?: Error,
): GraphQLError => {
  const { nodes, source, positions, path } = isGraphQLError(error) ? error : ({} as Partial<GraphQLError>);
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
};

const clientFault = (error: GraphQLError): GraphQLError => {
  const { http: givenHttp, ...extensions } = error.extensions ?? {};
  const given = String(extensions.code ?? 'BAD_USER_INPUT');
  const code = YOGA_CODES[given] ?? given;
  const { headers, ...ofAll } = httpPartOf((givenHttp ?? {}) as Partial<HttpPart>);
  // Whatever is wrong with the parameters, Yoga says which methods it knows: QUERY is not one.
  const isOfParameters = given in YOGA_CODES && ofAll.status === 400;
  const part: Partial<HttpPart> = headers && !isOfParameters ? { ...ofAll, headers } : ofAll;
  // The draft has a status only for failures before execution, and in application/json only for what is not a GraphQL request at all:
  // those have Yoga's own codes. A plugin or a resolver that says a status means it for both media types.
  const spec = (part.spec ?? part.status === undefined) && !(given in YOGA_CODES);
  const http = error.path ? givenHttp && { ...part, spec } : { status: 400, ...part, spec };
  return withExtensions(error, { ...extensions, code, ...(http ? { http } : {}) }, error.message);
};

/** An operation whose result has errors, and what there is beside them. */
export class ExecutionFailed extends Error {
  override readonly name = 'ExecutionFailed';
  readonly errors: readonly GraphQLError[];
  readonly data: ExecutionResult['data'];
  /** The late values of the operation, of which the data may have some. */
  readonly late: Dependencies['late'];

  constructor(errors: readonly GraphQLError[], data?: ExecutionResult['data'], late: Dependencies['late'] = new Map()) {
    super(errors[0]?.message);
    this.errors = errors;
    this.data = data;
    this.late = late;
  }
}

/**
 * The failure of a result with errors. An operation that turns out to be too complex is refused as a whole: a 400 has no data.
 */
export const failureOf = ({ errors = [], data }: ExecutionResult, late?: Dependencies['late']): ExecutionFailed => {
  const refusal = errors.find((error) => codeOf(rootCause(error)) === 'QUERY_TOO_COMPLEX');
  return refusal ? new ExecutionFailed([refusal]) : new ExecutionFailed(errors, data, late);
};

const codeOf = (error: unknown): string | undefined => (error instanceof AppError ? error.code : undefined);

/** The result of an operation that failed, whatever it threw. */
export const failedResult = (error: unknown): ExecutionResult => {
  if (!(error instanceof ExecutionFailed)) return { errors: [toGraphQLError(error)] };
  const { errors, data } = error;
  return data === undefined ? { errors } : { errors, data };
};

const toGraphQLError = (error: unknown): GraphQLError => {
  if (isGraphQLError(error)) return error;
  const isError = error instanceof Error;
  return new GraphQLError(isError ? error.message : String(error), { originalError: isError ? error : null });
};

/** What a failure of an operation says of the database. */
export const failureKindOf = (error: unknown): FailureKind => {
  const causes = error instanceof ExecutionFailed ? error.errors.map(rootCause) : [error];
  if (causes.some((cause) => cause instanceof Overloaded)) return 'overload';
  const failures = causes.filter((cause) => isDatabaseUnavailable(cause) || codeOf(cause) === 'SERVICE_UNAVAILABLE');
  if (failures.length === 0) return 'other';
  return failures.some(isDatabaseUnreachable) ? 'unreachable' : 'unanswered';
};

/** While rows change all the time, the rows of two statements may not fit together twice in a row. */
const MAX_TRIES = 3;

/** Reads all again where the reads do not fit together. @param work throws ReadAgain, unless it is the last try */
export const untilRowsFit = async <Result>(
  dependencies: Pick<Dependencies, 'readAgain'>,
  work: (isLast: boolean) => Promise<Result>,
): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    const isLast = tries === MAX_TRIES;
    try {
      return await work(isLast);
    } catch (error) {
      if (!(error instanceof ReadAgain) || isLast) throw error;
      dependencies.readAgain();
    }
  }
};

/**
 * Codes of reads that may succeed when they are repeated: PostgreSQL has given the read up to end a deadlock, as with a TRUNCATE of several tables:
 * https://www.prisma.io/docs/orm/reference/error-reference, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const OVERTAKEN: ReadonlySet<unknown> = new Set(['P2034', '40P01']);

/** @throws ReadAgain where one of the errors of an operation shows that */
export const refuseVanished = (errors: readonly unknown[] = []): void => {
  for (const cause of errors.map(rootCause)) {
    const isPassing = cause instanceof ReadAgain || OVERTAKEN.has((cause as { code?: unknown } | null)?.code);
    if (isPassing) throw new ReadAgain('What was read does not fit together', { cause });
  }
};
