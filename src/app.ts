import type { Logger } from 'pino';
import type { Access } from './access/access.ts';
import type { Exposure, Gate } from './access/gate.ts';
import { PLACEHOLDER_NAME, placeholderImage } from './catalogue/placeholder-image.ts';
import type { Config } from './config.ts';
import { AppError, Overloaded } from './errors.ts';
import { toAppError } from './failure.ts';
import type { Caller } from './graphql/context.ts';
import { answerGraphql, graphqlErrorResponse } from './graphql/door.ts';
import type { Engine } from './graphql/engine.ts';
import { createRequestMemo } from './graphql/request-memo.ts';
import type { Health } from './health.ts';
import type { AnswerResponse, CacheControl } from './http/answer-response.ts';
import type { CodedBodies } from './http/coded-bodies.ts';
import type { Cors } from './http/cors.ts';
import { type GatewayRequest, type GatewayResponse, MAX_TARGET_CHARS, splitTarget } from './http/message.ts';
import { createRecalledResponse, type WithCommon, withLink } from './http/recalled-response.ts';
import type { Recollected, Recollection } from './http/recollection.ts';
import { createRequestIds } from './http/request-id.ts';
import { ownResponse, problemResponse } from './http/responses.ts';
import { type LazyLog, lazyLog } from './observability/log.ts';
import { answerMetrics, type Metrics } from './observability/metrics.ts';
import type { RequestRecord } from './observability/request-record.ts';
import type { Watch } from './observability/watch.ts';
import type { LoadGuard } from './overload/load-guard.ts';
import type { Pages } from './pages/pages.ts';
import type { Rest, RestCall } from './rest/rest.ts';

/** The whole gateway, as functions. */
export interface App {
  /** Never rejects: every failure is an answer. */
  readonly answer: (request: GatewayRequest) => Promise<GatewayResponse>;
  /**
   * The answer to a request that equals an earlier one, where it is in memory: the same as `answer` would give, at once, or
   * as soon as its view is counted.
   * @param body of a POST
   */
  readonly recall: (
    request: Omit<GatewayRequest, 'body'>,
    body?: Buffer,
  ) => GatewayResponse | Promise<GatewayResponse> | undefined;
  /**
   * The refusal of work that would only make the rest wait; undefined where it may begin, and where its answer may be in memory. It costs
   * no more than an answer from memory, so that refusing leaves time for what is not refused. @param body of a POST
   */
  readonly shed: (request: Omit<GatewayRequest, 'body'>, body?: Buffer) => GatewayResponse | undefined;
  /** The answer to a request that is refused before it is looked at. */
  readonly refuse: (request: Omit<GatewayRequest, 'body'>, error: AppError) => GatewayResponse;
}

interface Deps {
  readonly engine: Engine;
  readonly rest: Rest;
  readonly recollection: Recollection;
  readonly toResponse: AnswerResponse;
  readonly cacheControl: CacheControl;
  readonly codedBodies: CodedBodies;
  readonly access: Access;
  readonly gate: Gate;
  readonly exposure: Config['exposure'];
  readonly cors: Cors;
  /** Whether headers depend on where a request comes from. */
  readonly dependsOnOrigin: boolean;
  readonly health: Health;
  readonly load: LoadGuard;
  readonly pages: Pages;
  readonly metrics: Metrics;
  readonly watch: Watch;
  readonly log: Logger;
}

/** One resource: the methods that it takes, and its answer to them (HEAD and GET alike; OPTIONS is answered for all). */
interface Resource {
  readonly methods: readonly string[];
  readonly answer: () => GatewayResponse | Promise<GatewayResponse>;
}

const READ = ['GET', 'HEAD', 'OPTIONS'];
const JSON_TYPE = 'application/json; charset=utf-8';

export const createApp = (deps: Deps): App => {
  const { engine, rest, recollection, toResponse, access, gate, exposure, cors, health, pages } = deps;
  const { metrics, watch, load, log } = deps;
  const requestIdOf = createRequestIds();
  const requestMemo = createRequestMemo();

  const answerRest = async (
    request: GatewayRequest,
    call: RestCall,
    query: string,
    caller: Caller,
  ): Promise<GatewayResponse> => {
    try {
      const { executed, link } = await rest.answer(call, query, caller);
      if (!executed.answer) {
        const { body, encoding, template } = executed;
        const { counts } = caller.record;
        if (template) recollection.learn(request, template, { contentType: JSON_TYPE, link, counts });
        return withLink(link, ownResponse(request, JSON_TYPE, body, encoding));
      }
      caller.record.cache = executed.outcome;
      recollection.learn(request, executed.answer, { contentType: JSON_TYPE, link, counts: caller.record.counts });
      return withLink(link, toResponse(executed.answer, executed.outcome, request, JSON_TYPE));
    } catch (error) {
      const appError = toAppError(error, caller.log());
      caller.record.code = appError.code;
      caller.record.isShed = appError instanceof Overloaded;
      return withLink(call.operation.link?.({}), problemResponse(appError));
    }
  };

  const find = (
    request: GatewayRequest,
    path: string,
    query: string,
    requestLog: LazyLog,
    record: RequestRecord,
  ): Resource | undefined => {
    const read = (answer: Resource['answer']): Resource => ({ methods: READ, answer });
    // What is no operation has a switch, and may want a token.
    const exposed = (how: Exposure, answer: Resource['answer']): Resource | undefined => {
      const guarded = gate(how, request.headers, answer);
      return guarded && read(guarded);
    };
    const caller = (): Caller => ({
      admit: (rootFields) => access.admit(request.headers, rootFields),
      countViews: request.method !== 'HEAD',
      log: requestLog,
      record,
    });

    if (path === '/graphql') {
      const wantsPage = request.method !== 'POST' && request.headers.accept?.includes('text/html');
      const page = async () => {
        record.isFor('other', 'page');
        return pages.graphiql.respond(request);
      };
      return {
        methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
        answer:
          (wantsPage && gate(pages.graphiql.exposure, request.headers, page)) ||
          (() => answerGraphql({ engine, recollection, requestMemo, toResponse }, request, caller())),
      };
    }
    if (path.startsWith('/api/')) {
      const call = rest.match(path);
      if (call) record.isFor('rest', call.operation.route.document, call.operation.route.path);
      return call && read(() => answerRest(request, call, query, caller()));
    }
    if (path === '/livez') return read(health.live);
    if (path === '/readyz') return read(health.ready);
    if (path === '/metrics') return exposed(exposure.metrics, () => answerMetrics(metrics));
    const page = pages.find(path);
    if (page) return exposed(page.exposure, () => page.respond(request));
    const image = /^\/images\/([^/]+)\.svg$/.exec(path)?.[1];
    return image && PLACEHOLDER_NAME.test(image) ? read(() => serveImage(image)) : undefined;
  };

  const respond = (
    request: GatewayRequest,
    requestLog: LazyLog,
    record: RequestRecord,
  ): GatewayResponse | Promise<GatewayResponse> => {
    if (request.target.length > MAX_TARGET_CHARS) {
      throw new AppError('URI_TOO_LONG', `A request target may have ${MAX_TARGET_CHARS} characters.`);
    }
    if (!request.target.startsWith('/')) throw new AppError('BAD_USER_INPUT', 'The request target must be a path.');
    const { path, query } = splitTarget(request.target);
    const resource = find(request, path, query, requestLog, record);
    if (!resource) throw notFound();
    const allow = resource.methods.join(', ');
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
    if (!resource.methods.includes(request.method)) {
      throw new AppError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { allow } });
    }
    return resource.answer();
  };

  const withCommon: WithCommon = (request, requestId, response) => {
    const { headers } = response;
    headers['x-request-id'] = requestId;
    headers['x-content-type-options'] = 'nosniff';
    cors(request, headers);
    return response;
  };

  const recalled = createRecalledResponse({ ...deps, withCommon });

  const isView = (path: string): boolean => {
    try {
      return rest.match(path)?.operation.prepared.isOnlyCounted ?? false;
    } catch {
      return false;
    }
  };

  const fail = (request: Omit<GatewayRequest, 'body'>, record: RequestRecord, error: AppError): GatewayResponse => {
    record.code = error.code;
    record.isShed = error instanceof Overloaded;
    return withCommon(request, record.origin.requestId, errorResponse(splitTarget(request.target).path, error));
  };

  const answer: App['answer'] = async (request) => {
    const record = watch.begin(request, requestIdOf(request.headers['x-request-id']));
    const requestLog = lazyLog(log, record);
    let response: GatewayResponse;
    try {
      response = await watch.run(record, respond, request, requestLog, record);
      withCommon(request, record.origin.requestId, response);
    } catch (error) {
      response = fail(request, record, toAppError(error, requestLog()));
    }
    return watch.end(record, response);
  };

  const giveViewed = async (
    request: Omit<GatewayRequest, 'body'>,
    body: Buffer | undefined,
    found: Recollected,
  ): Promise<GatewayResponse> => {
    const startMs = watch.timesRecalled ? performance.now() : 0;
    try {
      const viewed = await engine.giveViewed(found.answer);
      if (viewed !== undefined) {
        const requestId = requestIdOf(request.headers['x-request-id']);
        const response = recalled.viewed(found, request, requestId, viewed);
        watch.recalled(found.kept.counts, request, response, requestId, startMs);
        return response;
      }
    } catch (error) {
      const record = watch.begin(request, requestIdOf(request.headers['x-request-id']));
      record.counts = found.kept.counts;
      return watch.end(
        record,
        withLink(found.kept.link, fail(request, record, toAppError(error, lazyLog(log, record)()))),
      );
    }
    // Withdrawn a moment ago: said by the long way.
    return answer({ ...request, body: async () => body ?? Buffer.alloc(0) });
  };

  return {
    answer,

    refuse: (request, error) => {
      const record = watch.begin(request, requestIdOf(request.headers['x-request-id']));
      return watch.end(record, fail(request, record, error));
    },

    recall: (request, body) => {
      const found = access.isGranted(request.headers) ? recollection.recall(request, body) : undefined;
      if (!found) return undefined;
      if (found.answer.views.length > 0) {
        return request.method === 'HEAD' ? undefined : giveViewed(request, body, found);
      }
      const startMs = watch.timesRecalled ? performance.now() : 0;
      const requestId = requestIdOf(request.headers['x-request-id']);
      const response = recalled.hit(found, request, requestId);
      watch.recalled(found.kept.counts, request, response, requestId, startMs);
      return response;
    },

    shed: (request, body) => {
      if (!(load.isFull() || load.isLagging()) || recollection.knows(request, body)) return undefined;
      const { path } = splitTarget(request.target);
      const isGraphql = path === '/graphql';
      if (!isGraphql && !path.startsWith('/api/')) return undefined;
      // Views wait in a queue of their own.
      if (isGraphql ? body && engine.isView(body) : isView(path)) return undefined;
      const requestId = requestIdOf(request.headers['x-request-id']);
      const error = load.refuse();
      return recalled.refused(isGraphql ? 'graphql' : 'rest', request, requestId, () => errorResponse(path, error));
    },
  };
};

/** An error in the shape that clients of the path expect. */
const errorResponse = (path: string, error: AppError): GatewayResponse =>
  path === '/graphql' ? graphqlErrorResponse(error) : problemResponse(error);

const notFound = (): AppError => new AppError('NOT_FOUND', 'There is nothing at this path.');

const serveImage = (name: string): GatewayResponse => ({
  status: 200,
  headers: {
    'content-type': 'image/svg+xml; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    // A picture that is opened by itself is a page. Pages of other sites may show it: an `imageUrl` names it.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  },
  body: placeholderImage(name),
});
