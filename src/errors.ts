/** Every error code of a request, with its HTTP status and title, for GraphQL and REST. */
export const ERROR_TABLE = {
  BAD_USER_INPUT: { status: 400, title: 'Bad user input' },
  GRAPHQL_PARSE_FAILED: { status: 400, title: 'Syntax error' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, title: 'Invalid operation' },
  QUERY_TOO_COMPLEX: { status: 400, title: 'Query too complex' },
  PERSISTED_QUERY_NOT_FOUND: { status: 400, title: 'Persisted query not found' },
  PERSISTED_QUERY_NOT_SUPPORTED: { status: 400, title: 'Persisted query not supported' },
  TRUSTED_DOCUMENT_REQUIRED: { status: 400, title: 'Trusted document required' },
  UNAUTHENTICATED: { status: 401, title: 'Access token required' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'Not acceptable' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Request body too large' },
  URI_TOO_LONG: { status: 414, title: 'Request target too long' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Request headers too large' },
  INTERNAL_SERVER_ERROR: { status: 500, title: 'Internal server error' },
  SERVICE_UNAVAILABLE: { status: 503, title: 'Service unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

export interface AppErrorOptions {
  /** The GraphQL argument or the REST parameter at fault. */
  argument?: string | undefined;
  /** What is wrong with it, as the end of a sentence: REST says the same of the parameter. */
  problem?: string;
  /** The cause. Logged, never shown to a client. */
  cause?: unknown;
  /** Response headers that belong to the error (`Allow`, `Retry-After`, …). */
  headers?: Readonly<Record<string, string>>;
  /** Where a plugin has said it. @default that of the code */
  status?: number | undefined;
  /** Further members of a GraphQL error's `extensions`. */
  details?: Readonly<Record<string, unknown>>;
}

/** The only error of ours that clients see. Any other error of a request is masked. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly argument: string | undefined;
  readonly problem: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    { argument, problem, cause, headers = {}, status = ERROR_TABLE[code].status, details = {} }: AppErrorOptions = {},
  ) {
    // A stack costs a tenth of the response to a mistake of the client, and nobody reads it.
    const { stackTraceLimit } = Error;
    if (status < 500) Error.stackTraceLimit = 0;
    super(message, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.status = status;
    this.argument = argument;
    this.problem = problem;
    this.headers = headers;
    this.details = details;
  }
}

/** A value that does not fit an argument. */
export const badArgument = (argument: string, problem: string): AppError =>
  new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });

/** 503 with `Retry-After`. @param what cannot be done */
export const unavailable = (what: string, cause?: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', `${what} at the moment. Try again shortly.`, {
    cause,
    headers: { 'retry-after': '1' },
  });

/** The database is away or too slow. */
export const databaseUnavailable = (cause?: unknown): AppError => unavailable('The database cannot answer', cause);

/** This process is overloaded: 503 at once, with `Retry-After`. The database may be well. */
export class Overloaded extends AppError {
  constructor(message = 'Too much is asked for at once. Try again shortly.') {
    super('SERVICE_UNAVAILABLE', message, { headers: { 'retry-after': '1' } });
  }
}

/** A fault that the operator can fix: the process prints the message, without a stack, and ends. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  /** Exit code of the process. */
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.exitCode = exitCode;
  }
}
