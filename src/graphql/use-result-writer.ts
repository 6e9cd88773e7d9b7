import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import type { ErrorCode } from '../errors.ts';
import type { GatewayPlugin, RequestState } from './context.ts';
import type { EventStreams } from './live/event-stream.ts';
import { type HttpPart, withExtensions } from './mask-error.ts';
import { EVENT_STREAM_TYPE, errorTypeOf, GRAPHQL_TYPE } from './use-request-reader.ts';
import { executedBytes } from './use-response-cache.ts';

/** Writes results in the media type that the request was read for: JSON, by Yoga's own means, where the client takes anything, and events only where it names them. */
export const useResultWriter = ({ write }: StatusCodes, eventStreams: EventStreams): GatewayPlugin => {
  const writeEvents =
    (state: RequestState): StatusCodes['write'] =>
    (result, fetchAPI) => {
      if (isAsyncIterable(result)) state.eventBytes = eventStreams.bytesOf(result as AsyncIterable<ExecutionResult>);
      // An iterable is made into a stream where a plugin reads the body: https://github.com/nodejs/undici#body-mixins
      const body = state.eventBytes ?? eventStreams.textOf(result as ExecutionResult);
      state.response = new fetchAPI.Response(body as BodyInit, { headers: { 'content-type': EVENT_STREAM_TYPE } });
      return state.response;
    };
  return {
    onResultProcess: ({ result, setResultProcessor, serverContext: { call, state, params } }) => {
      const isEvents = state.contentType === EVENT_STREAM_TYPE;
      if (isEvents) state.executed = undefined;
      const areEvents =
        isAsyncIterable(result) || (isEvents && !Array.isArray(result) && isOfOperation(result, params !== undefined));
      if (areEvents) setResultProcessor(writeEvents(state), 'text/event-stream');
      else {
        const type = isEvents || !state.contentType ? errorTypeOf(call.request.headers.accept) : state.contentType;
        setResultProcessor(writeResult(state, write), type.slice(0, type.indexOf(';')));
      }
    },
  };
};

/** The result is the one that the plugins behind this one have left. */
const writeResult =
  (state: RequestState, write: StatusCodes['write']): StatusCodes['write'] =>
  (result, fetchAPI, mediaType) => {
    if (result !== state.result || state.result?.isChanged()) state.executed = undefined;
    state.response = state.executed
      ? new fetchAPI.Response(executedBytes(state.executed) as Uint8Array<ArrayBuffer>, {
          headers: { 'content-type': `${mediaType}; charset=utf-8` },
        })
      : write(result, fetchAPI, mediaType);
    return state.response;
  };

/** The statuses of faults that are in the operation, or in what it asks for. */
const OPERATION_FAULTS: ReadonlySet<number> = new Set([200, 400]);

/** To a client that takes events, a fault of the operation is sent as one: `EventSource` shows nothing of a response with another status. */
const isOfOperation = ({ errors = [] }: ExecutionResult, areParamsRead: boolean): boolean =>
  errors.every(({ extensions }) => {
    const http = extensions.http as Partial<HttpPart> | undefined;
    return !http || (OPERATION_FAULTS.has(http.status ?? 200) && (areParamsRead || http.spec === true));
  });

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
  return withExtensions(error, extensions, error.message);
};
