import { GraphQLError } from 'graphql';
import { toAppError } from '../database/failures.ts';
import { type AppError, ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { LazyLog } from '../observability/log.ts';
import { WrongValue } from './variables.ts';

/** An error, masked: how a client of either protocol sees it. */
export interface MaskedError {
  /** An error of a GraphQL response, with its members in the order of the specification: https://spec.graphql.org/draft/#sec-Errors */
  readonly shown: {
    readonly message: string;
    readonly locations: GraphQLError['locations'];
    readonly path: GraphQLError['path'];
    readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string };
  };
  /** What it makes of the HTTP response; undefined where it has no part in its status. */
  readonly http: HttpPart | undefined;
  /** Undefined where graphql itself found the fault. */
  readonly cause: AppError | undefined;
}

interface HttpPart {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether it is an error of GraphQL, which `application/json` answers with 200. */
  readonly spec: boolean;
}

/** An operation whose result has errors, masked for clients, and what data there is beside them. */
export class ExecutionFailed extends Error {
  override readonly name = 'ExecutionFailed';
  readonly errors: readonly MaskedError[];
  readonly data: Record<string, unknown> | null | undefined;

  constructor(errors: readonly MaskedError[], data?: Record<string, unknown> | null) {
    super(errors[0]?.shown.message);
    this.errors = errors;
    this.data = data;
  }
}

/**
 * What each error of the engine becomes. A plain object: making another GraphQLError of one takes 4 µs, a tenth of what a request with a wrong
 * variable costs.
 * @param code of an error that graphql made, where the error has none
 */
export type MaskError = (error: unknown, code?: ErrorCode) => MaskedError;

/** The codes that Yoga has for what it finds before it validates, and ours. */
export const YOGA_CODES: Readonly<Record<string, ErrorCode>> = {
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
  (error, ownCode = 'BAD_USER_INPUT') => {
    if (error instanceof GraphQLError ? isClientFault(error) : error instanceof WrongValue) {
      return clientFault(error as GraphQLError | WrongValue, ownCode);
    }
    const cause = toAppError(error instanceof Error ? rootCause(error) : error, log);
    const { code, message, argument, headers, details } = cause;
    const { locations, path } = error instanceof GraphQLError ? error : NOWHERE;
    const isBadInput = code === 'BAD_USER_INPUT';
    return {
      shown: { message, locations, path, extensions: { code, ...(argument ? { argument } : {}), ...details } },
      // Resolvers find bad arguments, so the response has data and errors together, with status 200 as the specification says.
      http: isBadInput && path ? undefined : { status: ERROR_TABLE[code].status, headers, spec: isBadInput },
      cause,
    };
  };

const NOWHERE: Pick<GraphQLError, 'locations' | 'path'> = { locations: undefined, path: undefined };

const clientFault = (error: GraphQLError | WrongValue, ownCode: ErrorCode): MaskedError => {
  const { message, locations, path, extensions } = error;
  const given = String(extensions.code ?? ownCode);
  const code = YOGA_CODES[given] ?? given;
  // The draft has a status only for failures before execution, and in application/json only for what is not a GraphQL request at all:
  // those have Yoga's own codes.
  const http = path ? undefined : { status: 400, ...extensions.http, spec: !(given in YOGA_CODES) };
  return { shown: { message, locations, path, extensions: { code } }, http, cause: undefined };
};
