import { type ExecutionResult, GraphQLError } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import type { ErrorCode } from '../errors.ts';
import type { HttpPart } from './mask-error.ts';
import { errorTypeOf, GRAPHQL_TYPE } from './request-params.ts';

/** How results and errors become HTTP responses, in an edition of GraphQL over HTTP. */
export interface StatusCodes {
  readonly write: typeof processRegularResult;
  /** The content type of an error that comes before or around Yoga. */
  readonly errorTypeOf: (accept: string | undefined) => string;
}

/** The draft of 2025, as Yoga writes it, and the edition of September 2026. */
export const STATUS_CODES: Readonly<Record<'2025' | '2026', StatusCodes>> = {
  2025: { write: processRegularResult, errorTypeOf },
  2026: {
    write: (result, fetchAPI, mediaType) => {
      if (Array.isArray(result) || !('errors' in result) || !result.errors?.length) {
        return processRegularResult(result, fetchAPI, mediaType);
      }
      const http = httpOf(result);
      const { errors, extensions } = result;
      const written = { ...result, errors: errors.map(withoutHttp), extensions: { ...extensions, http } };
      return processRegularResult(written, fetchAPI, http.status < 300 ? mediaType : MEDIA_TYPE);
    },
    // A client that takes only JSON is to tell a failure of GraphQL from one of a proxy.
    errorTypeOf: () => GRAPHQL_TYPE,
  },
};

const [MEDIA_TYPE = ''] = GRAPHQL_TYPE.split(';');

const PARTIAL_SUCCESS = 294;
const UNPROCESSABLE = 422;

/** What was read, but does not fit. */
const UNFIT: ReadonlySet<unknown> = new Set<ErrorCode>([
  'BAD_USER_INPUT',
  'GRAPHQL_VALIDATION_FAILED',
  'QUERY_TOO_COMPLEX',
]);

/** https://http-spec.graphql.org/September2026/#sec-Status-Codes */
const httpOf = ({ data, errors = [] }: ExecutionResult): HttpPart => {
  const parts = errors.map(({ extensions }) => (extensions.http ?? {}) as Partial<HttpPart>);
  const headers = Object.assign({}, ...parts.map((part) => part.headers));
  const statuses = errors.map((error, index) => statusOf(error, parts[index]?.status ?? 400));
  return { headers, status: data === undefined ? Math.max(...statuses) : PARTIAL_SUCCESS };
};

// A body that cannot be read has a cause.
const statusOf = ({ extensions: { code }, originalError }: GraphQLError, status: number): number =>
  status === 400 && UNFIT.has(code) && !originalError?.cause ? UNPROCESSABLE : status;

/** The error alone, which decides about no status. */
export const withoutHttp = (error: GraphQLError): GraphQLError => {
  const { http: _, ...extensions } = error.extensions;
  const { message, nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
};
