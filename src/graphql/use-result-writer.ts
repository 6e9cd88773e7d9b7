import type { ExecutionResult } from 'graphql';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import type { Call } from '../http/route.ts';
import { type Answers, executedBytes } from './body-form.ts';
import { type HttpPart, withHttpParts } from './failures.ts';
import type { EventStreams } from './live/event-stream.ts';
import type { GatewayPlugin, ServerContext } from './server-context.ts';
import { EVENT_STREAM_TYPE, errorTypeOf, negotiateEvents } from './use-request-reader.ts';

type WriteResult = typeof processRegularResult;

/**
 * Writes results in the media type that the request was read for: JSON, by Yoga's own means, where the client takes anything, and events
 * only where it names them.
 */
export const useResultWriter = (answers: Answers, eventStreams: EventStreams): GatewayPlugin => {
  const subscriptions = new WeakSet<Call>();
  const writeEvents: WriteResult = (result, fetchAPI) => {
    const isStream = isAsyncIterable(result);
    const bytes = isStream ? eventStreams.bytesOf(result as AsyncIterable<ExecutionResult>) : undefined;
    // An iterable is made into a stream where a plugin reads the body: https://github.com/nodejs/undici#body-mixins
    const body = bytes ?? eventStreams.textOf(result as ExecutionResult);
    const headers = { 'content-type': EVENT_STREAM_TYPE };
    return eventStreams.note(new fetchAPI.Response(body as BodyInit, { headers }), bytes);
  };
  const writeAnswer: WriteResult = (result, fetchAPI, mediaType) => {
    const executed = answers.ofResult(result as ExecutionResult);
    if (!executed) return writeJson(result, fetchAPI, mediaType);
    const body = answers.areRead ? (executedBytes(executed) as Uint8Array<ArrayBuffer>) : null;
    const headers = { 'content-type': `${mediaType}; charset=utf-8` };
    return answers.note(new fetchAPI.Response(body, { headers }), executed);
  };
  return {
    onSubscribe: ({ args }) => {
      const { call } = args.contextValue as ServerContext;
      negotiateEvents(call.request.headers.accept);
      subscriptions.add(call);
    },
    onResultProcess: ({ result, setResultProcessor, serverContext: { call, contentType, params } }) => {
      const wantsEvents = contentType === EVENT_STREAM_TYPE || subscriptions.has(call);
      const areEvents =
        isAsyncIterable(result) ||
        (wantsEvents && !Array.isArray(result) && isSentAsEvent(result, params !== undefined));
      if (areEvents) return setResultProcessor(writeEvents, 'text/event-stream');
      const type = wantsEvents || !contentType ? errorTypeOf(call.request.headers.accept) : contentType;
      setResultProcessor(wantsEvents ? writeJson : writeAnswer, type.slice(0, type.indexOf(';')));
    },
  };
};

const writeJson: WriteResult = (result, fetchAPI, mediaType) =>
  processRegularResult(Array.isArray(result) ? result : withHttpParts(result as ExecutionResult), fetchAPI, mediaType);

/** The statuses of faults that are in the operation, or in what it asks for. */
const OPERATION_FAULTS: ReadonlySet<number> = new Set([200, 400]);

/** To a client that takes events, a fault of the operation is sent as one: `EventSource` shows nothing of a response with another status. */
const isSentAsEvent = ({ errors = [] }: ExecutionResult, areParamsRead: boolean): boolean =>
  errors.every(({ extensions }) => {
    const http = extensions?.http as Partial<HttpPart> | undefined;
    return !http || (OPERATION_FAULTS.has(http.status ?? 200) && (areParamsRead || http.spec === true));
  });
