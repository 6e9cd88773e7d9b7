import { getOperationAST, type OperationDefinitionNode } from 'graphql';
import { ERROR_TABLE } from '../errors.ts';
import { type ErrorFormat, type GatewayRequest, type GatewayResponse, GRAPHQL_PATH } from '../http/message.ts';
import type { FindRoute, OperationRoute, ParsedRequest, ResponseRoute } from '../http/route.ts';
import type { Caller } from './context.ts';
import type { CheckedDocument } from './documents.ts';
import type { CostReport } from './limits/cost.ts';
import { type Operation, rootFieldsOf } from './operation.ts';
import {
  errorTypeOf,
  jsonBodyOf,
  negotiate,
  paramsOfBody,
  paramsOfTarget,
  type RequestParams,
  readText,
  wantsPage,
} from './parse-request.ts';
import type { BodyForm, Engine } from './run-operation.ts';
import type { Failed, YogaCall } from './yoga.ts';

/** A host that is never looked up: what a client says of its own is not trusted. */
const ORIGIN = 'http://gateway.invalid';

/** What the errors of a result may add to its headers. Content type, length and connection are never Yoga's to say. */
const HEADERS_OF_YOGA = ['allow', 'retry-after', 'www-authenticate'];

/** What a request asks the engine for, by either protocol. */
export interface ParsedOperation extends ParsedRequest {
  readonly operation: Operation;
  readonly form: BodyForm;
}

/** The address of the GraphQL endpoint: GraphiQL for browsers, and GraphQL over HTTP. */
export const createGraphqlRoutes = (engine: Engine, graphiql: ResponseRoute): FindRoute => {
  const methods = ['GET', 'HEAD', 'POST', 'OPTIONS'];
  const page: ResponseRoute = { ...graphiql, methods, errors: GRAPHQL_ERRORS, countedAs: ['other', 'page'] };
  const endpoint = createEndpoint(engine, methods);

  return (path, { method, headers }) => {
    if (path !== GRAPHQL_PATH) return undefined;
    return page.exposure !== 'off' && method !== 'POST' && wantsPage(headers.accept) ? page : endpoint;
  };
};

/**
 * GraphQL over HTTP. The order of the checks: media type and size of the body (415, 413), `Accept` (406), parameters, document, access (401). A
 * result without errors is answered without Yoga, which makes the responses to everything else and is loaded when it is first needed.
 */
const createEndpoint = (engine: Engine, methods: readonly string[]): OperationRoute<ParsedOperation> => ({
  methods,
  errors: GRAPHQL_ERRORS,

  countsViewsOnly: (_, request) => {
    try {
      const params = Buffer.isBuffer(request.body)
        ? request.body.byteLength <= MAX_VIEW_BYTES && paramsOfBody(request.body.toString())
        : paramsOfTarget(request);
      return !!params && engine.known(params.query, params.operationName)?.isOnlyCounted === true;
    } catch {
      return false;
    }
  },

  parse: async (call) => {
    const { request } = call;
    const text = request.method === 'POST' ? jsonBodyOf(request) : undefined;
    const contentType = negotiate(request.headers.accept);
    const params = text === undefined ? paramsOfTarget(request) : paramsOfBody(readText(text));
    const wanted = await findWanted(engine, params, call);
    if ('at' in wanted) return answerFailed(engine, contentType, { caller: call, failed: wanted }, request);
    call.requestContext.isFor('graphql', wanted.operation.label, GRAPHQL_PATH);
    return { ...wanted, head: { contentType, isNegotiated: true, link: undefined } };
  },

  run: async ({ operation, variables, form, head }, call) => {
    try {
      return await engine.answer(operation, variables, call, form);
    } catch (error) {
      const failed: Failed = { at: 'execution', document: operation.document, error, extensions: form.extensions };
      return answerFailed(engine, head.contentType, { caller: call, failed }, call.request);
    }
  },
});

/** To read a longer one would cost more than to refuse it. */
const MAX_VIEW_BYTES = 8192;

/** @throws (in the promise) AppError UNAUTHENTICATED to a client that may not learn what is wrong with the document */
const findWanted = async (
  engine: Engine,
  params: RequestParams | undefined,
  caller: Caller,
): Promise<Omit<ParsedOperation, 'head'> | Failed> => {
  if (!params) return { at: 'parameters' };
  const { query, operationName, variables: given, extensions } = params;
  let checked: CheckedDocument;
  try {
    checked = engine.checkDocument(query);
  } catch (error) {
    return { at: 'parsing', error };
  }
  const { document, errors } = checked;
  const definition = getOperationAST(document, operationName);
  if (!definition) return { at: 'operation', document };
  if (errors.length > 0) {
    await caller.admit(rootFieldsOf(document, definition));
    return { at: 'validation', document, errors };
  }
  const operation = engine.prepare(document, operationName);
  if (!operation) return { at: 'operation', document };
  const variables = declared(given, definition);
  const cost = extensions.cost === true ? engine.costOf(operation, variables) : undefined;
  return { operation, variables, form: cost ? bodyWithCost(cost) : GRAPHQL_BODY };
};

/** The variables that the operation declares, all that the request cache has to keep: whatever else is sent has no bound on its size. */
const declared = (
  variables: Readonly<Record<string, unknown>>,
  { variableDefinitions = [] }: OperationDefinitionNode,
): Record<string, unknown> => {
  const names = new Set(variableDefinitions.map(({ variable }) => variable.name.value));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
};

/** Yoga reads the parameters once more, and is told the rest. */
const answerFailed = async (
  engine: Engine,
  contentType: string,
  call: YogaCall,
  { method, target, body }: GatewayRequest,
): Promise<GatewayResponse> => {
  const yoga = await engine.yoga();
  const [accept = ''] = contentType.split(';');
  const headers = { accept, 'content-type': 'application/json' };
  const response = await (method === 'POST' && Buffer.isBuffer(body)
    ? yoga.fetch(ORIGIN + GRAPHQL_PATH, { method: 'POST', headers, body: readText(body) }, call)
    : yoga.fetch(new URL(ORIGIN + target).href, { method: 'GET', headers }, call));
  const ofYoga = HEADERS_OF_YOGA.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return {
    status: response.status,
    headers: {
      'content-type': contentType,
      'cache-control': 'no-store',
      vary: 'accept',
      ...Object.fromEntries(ofYoga),
    },
    body: await response.text(),
  };
};

const GRAPHQL_BODY: BodyForm = { name: 'graphql', toBody: (data) => `{"data":${data}}`, givesPartialData: true };

/** Under a name of its own, so that answers with the cost and those without are kept apart. */
const bodyWithCost = (cost: CostReport): BodyForm => {
  const extensions = { cost };
  const text = JSON.stringify(extensions);
  return {
    name: 'graphql+cost',
    toBody: (data) => `{"data":${data},"extensions":${text}}`,
    extensions,
    givesPartialData: true,
  };
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
