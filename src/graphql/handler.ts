import { processRegularResult } from 'graphql-yoga';
import { CACHE_STATUS } from '../http/cached-http-response.ts';
import {
  asksByBody,
  dropConnectionHeaders,
  type GatewayRequest,
  type GatewayResponse,
  GRAPHQL_PATH,
  inLanguage,
  validHeaders,
  varyBy,
  type WriteError,
} from '../http/message.ts';
import type { Call, FindRoute, HeadedAnswer, OperationRoute, ResponseHead, ResponseRoute } from '../http/route.ts';
import { isGraphQLError, withHttpParts } from './graphql-errors.ts';
import { bodyFault } from './json-body.ts';
import type { Engine } from './run-document.ts';
import { ORIGIN, type ServerContext } from './server-context.ts';
import type { Live } from './use-live.ts';
import { EVENT_STREAM_TYPE, errorTypeOf, negotiate, paramsOf, RESULT_TYPES, wantsPage } from './use-request-reader.ts';

interface Options extends Engine {
  readonly live: Pick<Live, 'streamOf' | 'send'>;
  readonly graphiql: ResponseRoute;
}

/** A longer body is not looked into to find out whether it takes late values alone: that costs more than to reject it. */
const MAX_PEEKED_BYTES = 8192;

/** The address of the GraphQL endpoint: GraphiQL for browsers, and Yoga, from whose response is taken what is not in memory already. */
export const createGraphqlRoutes = (options: Options): FindRoute => {
  const methods = ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS'];
  const page: ResponseRoute = { ...options.graphiql, methods, writeError };
  const endpoint: OperationRoute = {
    methods,
    writeError,
    // Until its operation is known.
    countedAs: ['graphql', 'none', GRAPHQL_PATH],
    faultOf: bodyFault,
    isAllLate: (request) => isAllLate(request, options.documents),
    run: async (call) => {
      const endStream = (): void => options.live.streamOf(call)?.events.end('client');
      const answered = await askYoga(call, options).catch((error: unknown) => {
        endStream();
        throw error;
      });
      // The place of a subscription is that of its stream: where a plugin answers otherwise there is none.
      if (!('stream' in answered)) endStream();
      return answered;
    },
  };
  return (path, { method, headers }) => {
    if (path !== GRAPHQL_PATH) return undefined;
    return page.exposure !== 'off' && !asksByBody(method) && wantsPage(headers.accept) ? page : endpoint;
  };
};

const isAllLate = (request: GatewayRequest, documents: Options['documents']): boolean => {
  if (Buffer.isBuffer(request.body) && request.body.byteLength > MAX_PEEKED_BYTES) return false;
  try {
    const { query, operationName } = paramsOf(request);
    const document = typeof query === 'string' ? documents.find(query) : undefined;
    return document !== undefined && documents.prepare({ document, operationName })?.isAllLate === true;
  } catch {
    return false;
  }
};

const askYoga = async (call: Call, options: Options): Promise<HeadedAnswer | GatewayResponse> => {
  const { yoga, tokens, maskError } = options;
  const { method, target, headers, body } = call.request;
  const contentType = negotiate(headers.accept);
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
      { call, contentType } as ServerContext,
    );
    const answer = tokens.contents.get(response)?.answer;
    const { 'content-type': given, ...added } = headersOf(response);
    const head = given === contentType ? HEADS.get(contentType) : undefined;
    return answer && head ? { answer, head, added } : await toGatewayResponse(response, call, options);
  } catch (error) {
    if (!isGraphQLError(error)) throw error;
    // Of a plugin, at a point where Yoga writes no error.
    const masked = maskError(error);
    call.requestContext.code = String(masked.extensions.code);
    const [mediaType] = errorTypeOf(headers.accept).split(';');
    const result = withHttpParts({ errors: [masked] });
    return toGatewayResponse(processRegularResult(result, yoga.fetchAPI, String(mediaType)), call, options);
  }
};

/** One for all requests that are remembered. */
const HEADS: ReadonlyMap<unknown, ResponseHead> = new Map(
  RESULT_TYPES.map((contentType) => [contentType, { contentType, isNegotiated: true }]),
);

const EVENT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': EVENT_STREAM_TYPE,
  'cache-control': 'no-store',
  // nginx would hold events back: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
  'x-accel-buffering': 'no',
};

/** The response of Yoga: errors, events, what was executed for its own caller, and what a plugin has changed. */
const toGatewayResponse = async (
  response: Response,
  call: Call,
  { tokens, live }: Options,
): Promise<GatewayResponse> => {
  const { status } = response;
  const { vary, ...headers } = headersOf(response);
  const said = inLanguage({ vary: varyBy('accept', vary) }, call.language.shown);
  const opened = live.streamOf(call);
  if (!String(headers['content-type']).startsWith('text/event-stream')) {
    const own = { 'cache-control': tokens.isCallersOwn ? 'private, no-store' : 'no-store', ...said };
    return { status, headers: { ...own, ...headers }, body: Buffer.from(await response.arrayBuffer()) };
  }
  const { 'content-encoding': _, ...others } = headers;
  const eventHeaders = { ...others, ...EVENT_HEADERS, ...said };
  const content = tokens.contents.get(response);
  // Nobody has begun to read a response that a plugin has put in the place of ours.
  const events = content ? content.events : response.body?.values();
  // One result, and the end.
  if (!opened || !events) return { status, headers: eventHeaders, body: await response.text() };
  return {
    status,
    headers: { ...eventHeaders, 'cache-status': CACHE_STATUS[opened.outcome] },
    body: null,
    stream: (sink) => live.send(opened, events, sink),
  };
};

/** In lower case, without those that the server writes. */
const headersOf = ({ headers }: Response): GatewayResponse['headers'] => {
  const all: GatewayResponse['headers'] = validHeaders(
    Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value])),
  );
  // The one header that may come several times, and cannot be joined: https://www.rfc-editor.org/rfc/rfc9110#section-5.3
  if ('set-cookie' in all) all['set-cookie'] = headers.getSetCookie();
  return dropConnectionHeaders(all);
};

/** Errors that came before or around Yoga, in the shape of a GraphQL response. */
const writeError: WriteError = ({ code, status, message, headers, details }, { accept }) => ({
  status,
  headers: { 'content-type': errorTypeOf(accept), 'cache-control': 'no-store', ...headers },
  body: JSON.stringify({ errors: [{ message, extensions: { code, ...details } }] }),
});
