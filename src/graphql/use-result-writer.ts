import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import type { GatewayPlugin, RequestState } from './context.ts';
import type { EventStreams } from './live/event-stream.ts';
import type { HttpPart } from './mask-error.ts';
import { EVENT_STREAM_TYPE, errorTypeOf } from './use-request-reader.ts';
import { executedBytes } from './use-response-cache.ts';

/** Writes results in the media type that the request was read for: JSON, by Yoga's own means, where the client takes anything, and events only where it names them. */
export const useResultWriter = (eventStreams: EventStreams): GatewayPlugin => {
  const writeEvents =
    (state: RequestState): typeof processRegularResult =>
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
        setResultProcessor(writeResult(state), type.slice(0, type.indexOf(';')));
      }
    },
  };
};

/** The result is the one that the plugins behind this one have left. */
const writeResult =
  (state: RequestState): typeof processRegularResult =>
  (result, fetchAPI, mediaType) => {
    if (result !== state.result || state.result?.isChanged()) state.executed = undefined;
    state.response = state.executed
      ? new fetchAPI.Response(executedBytes(state.executed) as Uint8Array<ArrayBuffer>, {
          headers: { 'content-type': `${mediaType}; charset=utf-8` },
        })
      : processRegularResult(result, fetchAPI, mediaType);
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
