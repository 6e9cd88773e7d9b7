import type { ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, processRegularResult } from 'graphql-yoga';
import { type Answer, bytesOfAnswer } from '../cache/response-cache.ts';
import type { Call } from '../http/route.ts';
import { type HttpPart, withExtensions, withHttpParts } from './graphql-errors.ts';
import type { BodyForm, GatewayPlugin, ServerContext } from './server-context.ts';
import { EVENT_STREAM_TYPE, errorTypeOf, negotiateEvents } from './use-request-reader.ts';

/**
 * A result that is only a token: it goes through the hooks of Yoga and its plugins for an answer whose bytes are finished. It has data where
 * plugins read results, and else nothing. What a plugin puts in its place is no token, nor is a token that a plugin has changed.
 */
export class TokenResult implements ExecutionResult {
  declare readonly data?: NonNullable<ExecutionResult['data']>;
  readonly #answer: Answer;
  readonly #text: string | undefined;

  /** @param form of the answer, where plugins read it */
  constructor(answer: Answer, form?: BodyForm) {
    this.#answer = answer;
    if (!form) return;
    Object.assign(this, form.toResult(bytesOfAnswer(answer).toString(), (answer.response ?? answer).status));
    this.#text = JSON.stringify(this);
  }

  static answerOf(result: ExecutionResult): Answer | undefined {
    if (!(result instanceof TokenResult)) return undefined;
    return result.#text === undefined || result.#text === JSON.stringify(result) ? result.#answer : undefined;
  }
}

/** For what responses of Yoga are tokens. One that a plugin has made is none. */
export class TokenResponses {
  /** Whether plugins of the operator read results and responses: then these have their data. */
  readonly areRead: boolean;
  /** Whether each caller gets answers of its own. */
  readonly isCallersOwn: boolean;
  readonly contents = new WeakMap<Response, Content>();

  constructor({ areRead, isCallersOwn }: Pick<TokenResponses, 'areRead' | 'isCallersOwn'>) {
    this.areRead = areRead;
    this.isCallersOwn = isCallersOwn;
  }
}

/** An answer, or events as they come. Neither: the text of the response itself. */
interface Content {
  readonly answer?: Answer;
  readonly events?: AsyncIterator<Uint8Array>;
}

type WriteResult = typeof processRegularResult;

/**
 * Writes results in the media type that the request was read for: JSON, by Yoga's own means, where the client takes anything, and events
 * only where it names them.
 */
export const useResultWriter = (tokens: TokenResponses): GatewayPlugin => {
  const subscriptions = new WeakSet<Call>();
  const eventBytes = new WeakMap<ExecutionResult, Uint8Array>();

  /** Equal results of several streams are the same bytes, unless a plugin may have changed one of them. */
  const bytesOf = (result: ExecutionResult): Uint8Array => {
    const bytes = (!tokens.areRead && eventBytes.get(result)) || Buffer.from(eventOf(result));
    eventBytes.set(result, bytes);
    return bytes;
  };
  const note = (response: Response, content: Content): Response => {
    tokens.contents.set(response, content);
    return response;
  };
  const writeEvents: WriteResult = (result, fetchAPI) => {
    const headers = { 'content-type': EVENT_STREAM_TYPE };
    if (isAsyncIterable(result)) {
      const events = bytesAsTheyCome(result as AsyncIterable<ExecutionResult>, bytesOf);
      // An iterable is made into a stream where a plugin reads the body: https://github.com/nodejs/undici#body-mixins
      return note(new fetchAPI.Response(events as unknown as BodyInit, { headers }), { events });
    }
    const answer = TokenResult.answerOf(result as ExecutionResult);
    const event = answer ? nextEvent(bytesOfAnswer(answer).toString()) : eventOf(result as ExecutionResult);
    return note(new fetchAPI.Response(event + COMPLETE, { headers }), {});
  };
  const writeToken: WriteResult = (result, fetchAPI, mediaType) => {
    const answer = TokenResult.answerOf(result as ExecutionResult);
    if (!answer) return writeJson(result, fetchAPI, mediaType);
    const body = tokens.areRead ? (bytesOfAnswer(answer) as Uint8Array<ArrayBuffer>) : null;
    const headers = { 'content-type': `${mediaType}; charset=utf-8` };
    return note(new fetchAPI.Response(body, { headers }), { answer });
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
      setResultProcessor(wantsEvents ? writeJson : writeToken, type.slice(0, type.indexOf(';')));
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
  return withExtensions(error, extensions);
};

/** Many results, and the end. */
async function* bytesAsTheyCome(
  results: AsyncIterable<ExecutionResult>,
  bytesOf: (result: ExecutionResult) => Uint8Array,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const result of results) yield bytesOf(result);
  yield LAST;
}
