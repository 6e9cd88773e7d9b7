import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import { type Executed, executedBytes } from '../cache/response-cache.ts';
import type { Call } from '../http/route.ts';
import { type HttpPart, withExtensions, withHttpParts } from './failures.ts';
import type { BodyForm, GatewayPlugin, ServerContext } from './server-context.ts';
import { EVENT_STREAM_TYPE, errorTypeOf, negotiateEvents } from './use-request-reader.ts';

/** What a response is made of: an answer, or events as they come. Undefined for its own text. */
interface Made {
  readonly executed?: Executed | undefined;
  readonly events?: AsyncIterator<Uint8Array> | undefined;
}

/**
 * The answers that results and responses are made of. A result or a response that a plugin puts in the place of another has none, and so has
 * a result that a plugin has changed.
 */
export class Answers {
  /** Whether plugins of the operator read results: then these have their data. */
  readonly areRead: boolean;
  /** Whether each caller gets answers of its own. */
  readonly isCallersOwn: boolean;
  readonly #results = new WeakMap<
    ExecutionResult,
    { readonly executed: Executed; readonly text: string | undefined }
  >();
  readonly #responses = new WeakMap<Response, Made>();

  constructor({ areRead, isCallersOwn }: Pick<Answers, 'areRead' | 'isCallersOwn'>) {
    this.areRead = areRead;
    this.isCallersOwn = isCallersOwn;
  }

  /** The result of an answer, which is empty where nobody reads it. */
  resultOf(executed: Executed, form: BodyForm): ExecutionResult {
    const { status } = executed.answer ?? executed;
    const result = this.areRead ? form.toResult(executedBytes(executed).toString(), status) : {};
    this.#results.set(result, { executed, text: this.areRead ? JSON.stringify(result) : undefined });
    return result;
  }

  ofResult(result: ExecutionResult): Executed | undefined {
    const answer = this.#results.get(result);
    return answer?.text === undefined || answer.text === JSON.stringify(result) ? answer?.executed : undefined;
  }

  note(response: Response, made: Made): Response {
    this.#responses.set(response, made);
    return response;
  }

  ofResponse(response: Response): Made | undefined {
    return this.#responses.get(response);
  }
}

type WriteResult = typeof processRegularResult;

/**
 * Writes results in the media type that the request was read for: JSON, by Yoga's own means, where the client takes anything, and events
 * only where it names them.
 */
export const useResultWriter = (answers: Answers): GatewayPlugin => {
  const subscriptions = new WeakSet<Call>();
  const eventBytes = new WeakMap<ExecutionResult, Uint8Array>();

  /** Equal results of several streams are the same bytes, unless a plugin may have changed one of them. */
  const bytesOf = (result: ExecutionResult): Uint8Array => {
    const bytes = (!answers.areRead && eventBytes.get(result)) || Buffer.from(eventOf(result));
    eventBytes.set(result, bytes);
    return bytes;
  };
  const writeEvents: WriteResult = (result, fetchAPI) => {
    const headers = { 'content-type': EVENT_STREAM_TYPE };
    if (isAsyncIterable(result)) {
      const events = bytesAsTheyCome(result as AsyncIterable<ExecutionResult>, bytesOf);
      // An iterable is made into a stream where a plugin reads the body: https://github.com/nodejs/undici#body-mixins
      return answers.note(new fetchAPI.Response(events as unknown as BodyInit, { headers }), { events });
    }
    const executed = answers.ofResult(result as ExecutionResult);
    const event = executed ? nextEvent(executedBytes(executed).toString()) : eventOf(result as ExecutionResult);
    return answers.note(new fetchAPI.Response(event + COMPLETE, { headers }), {});
  };
  const writeAnswer: WriteResult = (result, fetchAPI, mediaType) => {
    const executed = answers.ofResult(result as ExecutionResult);
    if (!executed) return writeJson(result, fetchAPI, mediaType);
    const body = answers.areRead ? (executedBytes(executed) as Uint8Array<ArrayBuffer>) : null;
    const headers = { 'content-type': `${mediaType}; charset=utf-8` };
    return answers.note(new fetchAPI.Response(body, { headers }), { executed });
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

/** https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md#distinct-connections-mode */
const nextEvent = (json: string): string => `event: next\ndata: ${json}\n\n`;
const COMPLETE = 'event: complete\ndata:\n\n';
const LAST = Buffer.from(COMPLETE);

/** Clients do not see what errors say of an HTTP response. */
const eventOf = (result: ExecutionResult): string =>
  nextEvent(JSON.stringify(result.errors ? { ...result, errors: result.errors.map(withoutHttp) } : result));

const withoutHttp = (error: GraphQLError): GraphQLError => {
  const { http: _, ...extensions } = error.extensions ?? {};
  return withExtensions(error, extensions, error.message);
};

/** Many results, and the end. */
async function* bytesAsTheyCome(
  results: AsyncIterable<ExecutionResult>,
  bytesOf: (result: ExecutionResult) => Uint8Array,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const result of results) yield bytesOf(result);
  yield LAST;
}
