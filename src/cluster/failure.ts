import { OperatorError } from '../errors.ts';
import { errorRecord } from '../observability/error-record.ts';
import type { Failure } from './messages.ts';

/** An error as it can be sent to another process. */
export const failureOf = (error: unknown): Failure => ({
  message: error instanceof Error ? error.message : String(error),
  stack: errorRecord(error).stack,
  isOperators: error instanceof OperatorError,
});

/** What was sent, as the error that it was. */
export const errorOf = ({ message, stack, isOperators }: Failure): Error => {
  const error = isOperators ? new OperatorError(message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
};
