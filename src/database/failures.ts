import type { Logger } from 'pino';
import { AppError, databaseUnavailable, OperatorError } from '../errors.ts';

/**
 * What an operation has read does not fit together (a row was deleted that another one refers to), or its replica cannot go on: it is run again, on
 * the primary.
 */
export class ReadAgain extends Error {
  override readonly name = 'ReadAgain';
}

/**
 * Whether a failure says that the database could not serve at all (away, restarting, full, out of time), rather than that it objected to what
 * was asked.
 */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  hasSign(error, isUnavailableCode, UNAVAILABLE_MESSAGE);

/** Whether a failure says that the server could not be reached, or takes no connections at all: it is not only slow, locked or busy. */
export const isDatabaseUnreachable = (error: unknown): boolean => hasSign(error, (code) => UNREACHABLE_CODES.has(code));

/** Looks through the wrappers that Prisma and we put around the driver's error. */
const hasSign = (error: unknown, isSign: (code: string) => boolean, ofMessage?: RegExp): boolean => {
  for (let depth = 0, current = error; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    const { code, message, cause, kind, originalCode, meta, syscall } = current as Record<string, unknown>;
    // No socket of the server is one thing, no file of ours another.
    if (code === 'ENOENT' && syscall !== 'connect') return false;
    if ([code, kind, originalCode].some((name) => typeof name === 'string' && isSign(name))) return true;
    if (typeof message === 'string' && ofMessage?.test(message)) return true;
    current = cause ?? (meta as Record<string, unknown> | undefined)?.driverAdapterError;
  }
  return false;
};

/** 57P03, cannot_connect_now: the server starts, stops or recovers. */
const UNREACHABLE_CODES = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT P1001 DatabaseNotReachable 57P03'.split(' '),
);

const CODES = new Set(
  [
    // Node: https://nodejs.org/api/errors.html#common-system-errors
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ENOENT',
    // Prisma: https://www.prisma.io/docs/orm/reference/error-reference
    'P1000 P1001 P1002 P1003 P1008 P1011 P1017 P2024 P2034 P2037',
    // Prisma's driver adapters
    'DatabaseNotReachable DatabaseDoesNotExist DatabaseAccessDenied AuthenticationFailed ConnectionClosed SocketTimeout',
    'TooManyConnections TlsConnectionError',
    // PostgreSQL: no such database, query_canceled (the statement timeout), lock_not_available, read_only_sql_transaction (a standby),
    // object_not_in_prerequisite_state (a database that takes no connections); serialization_failure and deadlock_detected, after every retry
    '3D000 57014 55P03 25006 55000 40001 40P01',
  ].flatMap((codes) => codes.split(' ')),
);

// Connection exceptions, invalid authorization, insufficient resources (connections, disk, memory), operator intervention, system errors:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const SQLSTATE_CLASS = /^(08|28|53|57P|58)[0-9A-Z]{2,3}$/;

const isUnavailableCode = (code: string): boolean => CODES.has(code) || SQLSTATE_CLASS.test(code);

// `pg` gives these no code.
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end)/i;

/** The AppError that a failure is; for any other, one that says nothing of its cause, which is logged. */
export const toAppError = (error: unknown, log: () => Logger): AppError => {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) {
    log().warn({ err: error }, 'the database could not answer');
    return databaseUnavailable(error);
  }
  log().error({ err: error }, 'unexpected error');
  return new AppError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.', { cause: error });
};

/** Whether a failure has one of these codes, of the system (`ENOENT`) or of PostgreSQL. */
export const hasCode = (error: unknown, ...codes: readonly unknown[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(error.code);

/** SQLSTATE: the role lacks a right. */
export const INSUFFICIENT_PRIVILEGE = '42501';

/** The message of an error; of those that Node gathers when a host has several addresses, the first. */
export const messageOf = (error: unknown): string => {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
};

/** As PgBouncer says it. */
export const UNSUPPORTED = /unsupported startup parameter: (\w+)/;

/** For `catch` at the start. @throws OperatorError where the database is not there, and otherwise what was thrown */
export const throwUnreachable = (error: Error): never => {
  if (error instanceof OperatorError || !isDatabaseUnavailable(error)) throw error;
  const [, parameter] = UNSUPPORTED.exec(error.message) ?? [];
  if (parameter)
    throw new OperatorError(
      `A pooler before the database lets no session begin with ${parameter}: set DATABASE_POOLER to its mode.`,
    );
  throw new OperatorError(`The database cannot be reached: ${error.message || error.name}. Check DATABASE_URL.`);
};
