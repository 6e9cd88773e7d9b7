import type { Logger } from 'pino';
import { isDatabaseUnavailable } from './database/unavailable.ts';
import { AppError, databaseUnavailable } from './errors.ts';

/** The AppError that a failure is; for any other, one that says nothing of its cause, which is logged. */
export const toAppError = (error: unknown, log: Logger): AppError => {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) {
    log.warn({ err: error }, 'the database could not answer');
    return databaseUnavailable(error);
  }
  log.error({ err: error }, 'unexpected error');
  return new AppError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.', { cause: error });
};
