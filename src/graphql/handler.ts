import { getOperationAST } from 'graphql';
import { bytesOf } from '../cache/cached-response.ts';
import { attempt, ERROR_TABLE } from '../errors.ts';
import type { BodyShapes } from '../http/body-shapes.ts';
import { type ErrorFormat, type GatewayRequest, type GatewayResponse, GRAPHQL_PATH } from '../http/message.ts';
import type {
  Call,
  Executed,
  FindRoute,
  OperationRoute,
  ParsedRequest,
  ResponseHead,
  ResponseRoute,
} from '../http/route.ts';
import type { Failed, WriteFailure } from './failure-writer.ts';
import { EVENT_STREAM_TYPE, singleEvent } from './live/event-stream.ts';
import type { Subscriptions } from './live/subscriptions.ts';
import { type Operation, rootFieldsOf } from './operation.ts';
import {
  checkJsonBody,
  errorTypeOf,
  negotiate,
  negotiateEvents,
  paramsOfPost,
  paramsOfTarget,
  type RequestParams,
  wantsPage,
} from './parse-request.ts';
import type { BodyForm, Engine } from './run-operation.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** What a request asks the engine for, by either protocol. */
export interface ParsedOperation extends ParsedRequest {
  readonly operation: Operation;
  readonly form: BodyForm;
}

/** A request, once its parameters are read. */
interface SeenRequest {
  readonly request: GatewayRequest;
  readonly params: RequestParams | undefined;
  /** What it asks for, where that is in memory. */
  operation: Operation | undefined;
}

interface Options {
  readonly engine: Engine;
  readonly bodyShapes: BodyShapes<RequestParams | undefined>;
  readonly writeFailure: WriteFailure;
  readonly trusted: TrustedDocuments;
  readonly subscriptions: Subscriptions;
  /** Whether some callers may ask for what others may not. */
  readonly isRestricted: boolean;
  readonly graphiql: ResponseRoute;
}

/** The address of the GraphQL endpoint: GraphiQL for browsers, and GraphQL over HTTP. */
export const createGraphqlRoutes = ({ graphiql, ...parts }: Options): FindRoute => {
  const methods = ['GET', 'HEAD', 'POST', 'OPTIONS'];
  const page: ResponseRoute = { ...graphiql, methods, errors: GRAPHQL_ERRORS, countedAs: ['other', 'page'] };
  const endpoint = createEndpoint(parts, methods);

  return (path, { method, headers }) => {
    if (path !== GRAPHQL_PATH) return undefined;
    return page.exposure !== 'off' && method !== 'POST' && wantsPage(headers.accept) ? page : endpoint;
  };
};

/** A longer request costs more to read than to reject. */
const MAX_VIEW_BYTES = 8192;

/**
 * GraphQL over HTTP. The order of the checks: media type and size of the body (415, 413), `Accept` (406), parameters, document, access (401).
 */
const createEndpoint = (
  { engine, bodyShapes, writeFailure, trusted, subscriptions, isRestricted }: Omit<Options, 'graphiql'>,
  methods: readonly string[],
): OperationRoute<ParsedOperation> => {
  /** Of the request that was looked at last: most are looked at twice, one right after the other. */
  let last: SeenRequest | undefined;
  /** By content type: one for all requests that are remembered. */
  const heads = new Map<string, ResponseHead>();

  const headOf = (contentType: string): ResponseHead => {
    let head = heads.get(contentType);
    if (!head) {
      head = { contentType, isNegotiated: true, link: undefined };
      heads.set(contentType, head);
    }
    return head;
  };

  const lookAt = (request: GatewayRequest): SeenRequest => {
    if (last?.request === request) return last;
    const { method, body } = request;
    const isInBody = method === 'POST' && Buffer.isBuffer(body);
    const params = isInBody ? paramsOfPost(body, bodyShapes.split(request)) : paramsOfTarget(request);
    last = { request, params, operation: undefined };
    return last;
  };

  return {
    methods,
    errors: GRAPHQL_ERRORS,

    countsViewsOnly: (_, request) => {
      if (Buffer.isBuffer(request.body) && request.body.byteLength > MAX_VIEW_BYTES) return false;
      try {
        const seen = lookAt(request);
        const { params } = seen;
        seen.operation = params && engine.documents.find(trusted.textOf(params), params.operationName);
        return seen.operation?.isOnlyCounted === true;
      } catch {
        return false;
      }
    },

    parse: (call) => {
      const { request } = call;
      if (request.method === 'POST') checkJsonBody(request);
      const contentType = negotiate(request.headers.accept);
      const { params, operation: known } = lookAt(request);
      last = undefined;
      const wanted = params && known ? withParams(known, params) : findOperation(engine, trusted, params);
      if ('at' in wanted) {
        const respond = () => respondFailed(writeFailure, wanted, withText(request, params), call, contentType);
        // Else the client may not learn what is wrong with the document.
        const admission =
          isRestricted && wanted.at === 'validation'
            ? call.admit(rootFieldsOf(wanted.document, wanted.definition))
            : undefined;
        return admission ? admission.then(respond) : respond();
      }
      const { operation } = wanted;
      call.requestContext.isFor('graphql', operation.label, GRAPHQL_PATH);
      const ownType = operation.isSubscription ? negotiateEvents(request.headers.accept) : contentType;
      return { ...wanted, head: headOf(ownType) };
    },

    run: (parsed, call) => {
      const { operation, variables, form, head } = parsed;
      return attempt<Executed | GatewayResponse, Executed | GatewayResponse>(
        () =>
          isLive(operation, call) ? subscriptions.open(parsed, call) : engine.run(operation, variables, call, form),
        (done) => ('headers' in done || head.contentType !== EVENT_STREAM_TYPE ? done : singleEvent(toBytes(done))),
        (error) => {
          const cost = form === BODY_WITH_COST ? engine.costOf(operation, variables) : undefined;
          const failed: Failed = { at: 'execution', error, cost };
          return respondFailed(writeFailure, failed, call.request, call, head.contentType);
        },
      );
    },
  };
};

/** A preview shows one moment, which does not change. */
const isLive = ({ isSubscription }: Operation, { request: { method }, previewAt }: Call): boolean =>
  isSubscription && method !== 'HEAD' && previewAt === undefined;

const toBytes = (executed: Executed): Buffer =>
  executed.answer ? bytesOf(executed.answer.body) : Buffer.from(executed.body, executed.encoding);

/** The statuses of faults that are in the operation, or in what it asks for. */
const OPERATION_FAULTS: ReadonlySet<number> = new Set([200, 400]);

/** To a client that takes events, a fault of the operation is sent as one: `EventSource` shows nothing of a response with another status. */
const respondFailed = (
  writeFailure: WriteFailure,
  failed: Failed,
  request: GatewayRequest,
  call: Call,
  contentType: string,
): GatewayResponse | Promise<GatewayResponse> => {
  if (contentType !== EVENT_STREAM_TYPE) return writeFailure(failed, request, call, contentType);
  const toEvent = (response: GatewayResponse): GatewayResponse =>
    failed.at === 'parameters' || !OPERATION_FAULTS.has(response.status)
      ? response
      : singleEvent(Buffer.from(response.body as string));
  const response = writeFailure(failed, request, call, errorTypeOf(request.headers.accept));
  return response instanceof Promise ? response.then(toEvent) : toEvent(response);
};

const findOperation = (
  { documents }: Engine,
  trusted: TrustedDocuments,
  params: RequestParams | undefined,
): Omit<ParsedOperation, 'head'> | Failed => {
  if (!params) return { at: 'parameters' };
  const { operationName } = params;
  let checked: ReturnType<typeof documents.check>;
  try {
    checked = documents.check(trusted.textOf(params));
  } catch (error) {
    return { at: 'parsing', error };
  }
  const { document, errors } = checked;
  const definition = getOperationAST(document, operationName);
  if (!definition) return { at: 'operation' };
  if (errors.length > 0) return { at: 'validation', document, definition, errors };
  const operation = documents.prepare(document, operationName);
  return operation ? withParams(operation, params) : { at: 'operation' };
};

const withParams = (operation: Operation, { variables, extensions }: RequestParams): Omit<ParsedOperation, 'head'> => ({
  operation,
  variables: declared(variables, operation),
  form: extensions.cost === true ? BODY_WITH_COST : BODY,
});

/** Yoga refuses a request without a text. Where a document was named by an id, it is asked only if none of its operations is selected. */
const withText = (request: GatewayRequest, params: RequestParams | undefined): GatewayRequest =>
  !params || params.query !== undefined
    ? request
    : { ...request, method: 'POST', body: NO_OPERATION, split: undefined };

const NO_OPERATION = Buffer.from(JSON.stringify({ query: 'fragment None on Query { __typename }' }));

/** The variables that the operation declares. The request cache keeps no others: their size has no bound. */
const declared = (
  variables: Readonly<Record<string, unknown>>,
  { variableNames }: Operation,
): Readonly<Record<string, unknown>> => {
  const given = variableNames.filter((name) => Object.hasOwn(variables, name));
  if (given.length === Object.keys(variables).length) return variables;
  return Object.fromEntries(given.map((name) => [name, variables[name]]));
};

const BODY: BodyForm = { name: 'graphql', toBody: (data) => `{"data":${data}}`, givesPartialData: true };

const BODY_WITH_COST: BodyForm = {
  name: 'graphql+cost',
  toBody: (data, cost) => `{"data":${data},"extensions":${JSON.stringify({ cost: cost() })}}`,
  givesPartialData: true,
};

/** Errors that came before or around the engine, in the shape of a GraphQL response. */
const GRAPHQL_ERRORS: ErrorFormat = {
  typeOf: ({ accept }) => errorTypeOf(accept),
  toResponse: ({ code, message, headers, details }, { accept }) => ({
    status: ERROR_TABLE[code].status,
    headers: { 'content-type': errorTypeOf(accept), 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ errors: [{ message, extensions: { code, ...details } }] }),
  }),
};
