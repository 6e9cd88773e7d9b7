import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Dependencies } from '../cache/dependencies.ts';
import type { FailureKind } from '../cache/response-cache.ts';
import { isDatabaseUnavailable, isDatabaseUnreachable } from '../database/failures.ts';
import { AppError, Overloaded } from '../errors.ts';
import { isGraphQLError, rootCause } from './graphql-errors.ts';

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
