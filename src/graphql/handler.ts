import { GraphQLError } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { CACHE_STATUS } from '../http/cached-http-response.ts';
import {
  asksByBody,
  dropConnectionHeaders,
  type ErrorFormat,
  type GatewayResponse,
  GRAPHQL_PATH,
  splitTarget,
} from '../http/message.ts';
import type { Call, FindRoute, OperationRoute, ResponseHead, ResponseRoute } from '../http/route.ts';
import { GRAPHQL_BODY } from './body-form.ts';
import type { RequestState, ServerContext } from './context.ts';
import type { EventStreams } from './live/event-stream.ts';
import type { MaskError } from './mask-error.ts';
import type { Documents } from './use-documents.ts';
import {
  bodyFault,
  EVENT_STREAM_TYPE,
  errorTypeOf,
  paramsOfBody,
  paramsOfQuery,
  RESULT_TYPES,
  readText,
  wantsPage,
} from './use-request-reader.ts';
import type { Yoga } from './yoga.ts';

interface Options {
  readonly yoga: Yoga;
  readonly documents: Pick<Documents, 'find' | 'prepare'>;
  readonly maskError: MaskError;
  readonly eventStreams: EventStreams;
  readonly graphiql: ResponseRoute;
}

/** A longer request costs more to read than to reject. */
const MAX_VIEW_BYTES = 8192;

/** A host that is never looked up: the one that the client names is not trusted. */
const ORIGIN = 'http://gateway.invalid';

/** The address of the GraphQL endpoint: GraphiQL for browsers, and Yoga, from whose response is taken what is not in memory already. */
export const createGraphqlRoutes = ({ yoga, documents, maskError, eventStreams, graphiql }: Options): FindRoute => {
  const methods = ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS'];
  const page: ResponseRoute = { ...graphiql, methods, errors: ERRORS, countedAs: ['other', 'page'] };
  const ask = async (call: Call, state: RequestState): ReturnType<OperationRoute['run']> => {
    const { method, target, headers, body } = call.request;
    // HEAD and QUERY are no methods of Yoga: each is asked as GET. HEAD counts nothing, and the parameters of QUERY are in its body.
    const isPost = method === 'POST';
    try {
      const response = await yoga.fetch(
        ORIGIN + target,
        {
          method: isPost ? 'POST' : 'GET',
          // A copy: a content-length is added to it where there is none.
          headers: { ...headers } as Record<string, string>,
          body: isPost && Buffer.isBuffer(body) ? (body as Uint8Array<ArrayBuffer>) : null,
        },
        { call, state } as ServerContext,
      );
      const { 'content-type': contentType, ...added } = headersOf(response);
      const { executed } = state;
      const isAsWritten = response === state.response && response.status === 200 && contentType === state.contentType;
      const head = isAsWritten ? HEADS.get(contentType) : undefined;
      return executed && head ? { executed, head, added } : await toGatewayResponse(response, state, eventStreams);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      // Of a plugin, at a point where Yoga writes no error.
      const masked = maskError(error);
      call.requestContext.code = String(masked.extensions.code);
      const [mediaType] = errorTypeOf(headers.accept).split(';');
      return toGatewayResponse(
        processRegularResult({ errors: [masked] }, yoga.fetchAPI, String(mediaType)),
        state,
        eventStreams,
      );
    }
  };

  const endpoint: OperationRoute = {
    methods,
    errors: ERRORS,
    faultOf: bodyFault,
    countsViewsOnly: ({ method, target, body }) => {
      if (Buffer.isBuffer(body) && body.byteLength > MAX_VIEW_BYTES) return false;
      try {
        const params = asksByBody(method)
          ? paramsOfBody(readText(body as Buffer))
          : paramsOfQuery(splitTarget(target).query);
        const document = typeof params.query === 'string' ? documents.find(params.query) : undefined;
        return document !== undefined && documents.prepare(document, params.operationName)?.isOnlyCounted === true;
      } catch {
        return false;
      }
    },
    run: async (call) => {
      const state: RequestState = { form: GRAPHQL_BODY };
      let answered: Awaited<ReturnType<OperationRoute['run']>> | undefined;
      try {
        answered = await ask(call, state);
        return answered;
      } finally {
        // The place of a subscription is that of its stream: where a plugin has failed or answers otherwise there is none.
        if (!(answered && 'stream' in answered)) state.events?.end('client');
      }
    },
  };

  return (path, { method, headers }) => {
    if (path !== GRAPHQL_PATH) return undefined;
    return page.exposure !== 'off' && !asksByBody(method) && wantsPage(headers.accept) ? page : endpoint;
  };
};

/** One for all requests that are remembered. */
const HEADS: ReadonlyMap<unknown, ResponseHead> = new Map(
  RESULT_TYPES.map((contentType) => [contentType, { contentType, isNegotiated: true }]),
);

const EVENT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': EVENT_STREAM_TYPE,
  'cache-control': 'no-store',
  vary: 'accept',
  // nginx would hold events back: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
  'x-accel-buffering': 'no',
};

/** The response of Yoga: errors, events, and what a plugin has changed. */
const toGatewayResponse = async (
  response: Response,
  state: RequestState,
  eventStreams: EventStreams,
): Promise<GatewayResponse> => {
  const { status } = response;
  const headers = headersOf(response);
  if (!String(headers['content-type']).startsWith('text/event-stream')) {
    return {
      status,
      headers: { 'cache-control': 'no-store', vary: 'accept', ...headers },
      body: response === state.response ? await response.text() : Buffer.from(await response.arrayBuffer()),
    };
  }
  const { 'content-encoding': _, ...others } = headers;
  const eventHeaders = { ...others, ...EVENT_HEADERS };
  const { outcome, eventBytes } = state;
  // A plugin may have put another body in the place of ours, which then nobody has begun to read.
  const bytes = response === state.response ? eventBytes : response.body?.values();
  // One result, and the end.
  if (!outcome || !bytes) return { status, headers: eventHeaders, body: await response.text() };
  // Not to be held as long as the stream is open.
  state.response = undefined;
  return {
    status,
    headers: { ...eventHeaders, 'cache-status': CACHE_STATUS[outcome] },
    body: null,
    stream: (sink) => eventStreams.send(bytes, sink, (isSlow) => state.events?.end(isSlow ? 'slow' : 'client')),
  };
};

/** In lower case, without those that the server writes. */
const headersOf = ({ headers }: Response): GatewayResponse['headers'] => {
  const all: GatewayResponse['headers'] = Object.fromEntries(
    [...headers].map(([name, value]) => [name.toLowerCase(), value]),
  );
  // The one header that may come several times, and cannot be joined: https://www.rfc-editor.org/rfc/rfc9110#section-5.3
  if ('set-cookie' in all) all['set-cookie'] = headers.getSetCookie();
  return dropConnectionHeaders(all);
};

/** Errors that came before or around Yoga, in the shape of a GraphQL response. */
const ERRORS: ErrorFormat = {
  typeOf: ({ accept }) => errorTypeOf(accept),
  toResponse: ({ code, status, message, headers, details }, { accept }) => ({
    status,
    headers: { 'content-type': errorTypeOf(accept), 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ errors: [{ message, extensions: { code, ...details } }] }),
  }),
};
