import { GraphQLError } from 'graphql';
import { toAppError } from '../database/failures.ts';
import { ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { LazyLog } from '../observability/log.ts';

/** An operation whose result has errors, masked for clients, and what data there is beside them. */
export class ExecutionFailed extends Error {
  override readonly name = 'ExecutionFailed';
  readonly errors: readonly GraphQLError[];
  readonly data: Record<string, unknown> | null | undefined;

  constructor(errors: readonly GraphQLError[], data?: Record<string, unknown> | null) {
    super(errors[0]?.message);
    this.errors = errors;
    this.data = data;
  }
}

/** What each GraphQL error becomes before a client of either protocol sees it. */
export type MaskError = (error: unknown) => GraphQLError;

// Yoga's own codes where ours differ.
const YOGA_CODES: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'BAD_USER_INPUT',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
  REQUEST_ENTITY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
};

// An error that graphql made is the client's fault where it has a code or no path, because then nothing ran. One with a path, or one that wraps
// another error, comes from a resolver or from a value that does not fit its type, and is ours.
const isClientFault = (error: GraphQLError): boolean =>
  rootCause(error) instanceof GraphQLError &&
  (error.extensions.code !== undefined || error.path === undefined || isArgumentFault(error));

// A variable that is null or absent where the argument needs a value is found only while the field runs.
const isArgumentFault = ({ message }: GraphQLError): boolean => message.startsWith('Argument ');

const rootCause = (error: Error): Error =>
  error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error;

export const createMaskError =
  (log: LazyLog): MaskError =>
  (error) => {
    if (error instanceof GraphQLError && isClientFault(error)) return withCode(error);
    const appError = toAppError(error instanceof Error ? rootCause(error) : error, log);
    const { code, argument, headers, details } = appError;
    const { status } = ERROR_TABLE[code];
    const hasPath = error instanceof GraphQLError && error.path !== undefined;
    const isBadInput = code === 'BAD_USER_INPUT';
    // Resolvers find bad arguments, so the response has data and errors together, with status 200 as the specification says.
    const http = isBadInput && hasPath ? {} : { http: { status, headers, ...(isBadInput ? { spec: true } : {}) } };
    return new GraphQLError(appError.message, {
      ...(error instanceof GraphQLError ? located(error) : {}),
      originalError: appError,
      extensions: { code, ...(argument ? { argument } : {}), ...details, ...http },
    });
  };

const located = ({ nodes, path }: GraphQLError) => ({ nodes: nodes ?? null, path: path ?? null });

const withCode = (error: GraphQLError): GraphQLError => {
  const given = String(error.extensions.code ?? 'BAD_USER_INPUT');
  const code = YOGA_CODES[given] ?? given;
  // The draft has a status only for failures before execution, and in application/json only for what is not a GraphQL request at all:
  // those have Yoga's own codes.
  const http = error.path ? undefined : { status: 400, ...error.extensions.http, spec: !(given in YOGA_CODES) };
  return new GraphQLError(error.message, {
    ...located(error),
    source: error.source ?? null,
    positions: error.positions ?? null,
    extensions: { code, ...(http && { http }) },
  });
};
