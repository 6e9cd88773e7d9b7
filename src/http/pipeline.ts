import type { Logger } from 'pino';
import type { Access } from '../access/access.ts';
import { PREVIEW_HEADER, type PreviewTime } from '../access/preview.ts';
import type { CachedResponse } from '../cache/cached-response.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { toAppError } from '../database/failures.ts';
import { AppError, attempt, Overloaded } from '../errors.ts';
import { lazyLog } from '../observability/log.ts';
import { createRequestIds, type RequestObserver } from '../observability/request-observer.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { Turn } from '../overload/waiting-line.ts';
import { type ResponseWriter, withLink } from './cached-http-response.ts';
import type { KnownFailures } from './known-failures.ts';
import {
  type ErrorFormat,
  type GatewayRequest,
  type GatewayResponse,
  MAX_TARGET_CHARS,
  PROBLEM_DETAILS,
  splitTarget,
} from './message.ts';
import type { KnownRequest, RequestCache } from './request-cache.ts';
import type { Call, Executed, FindRoute, OperationRoute, ParsedRequest, ResponseRoute, Route } from './route.ts';

/** The whole gateway, as a function. */
export interface App {
  /**
   * Answers a request: at once where nothing has to be waited for (a cached response, most failures), else by a promise, which never rejects:
   * every failure is a response.
   */
  readonly handle: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse>;
  /** The same in two steps: where the response is not in memory, a function that makes it. */
  readonly lookUp: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse> | MakeResponse;
}

/** To be called once. */
export type MakeResponse = () => GatewayResponse | Promise<GatewayResponse>;

interface Deps {
  /** The first route that is found is taken. */
  readonly routes: readonly FindRoute[];
  readonly requests: RequestCache;
  readonly failures: KnownFailures;
  readonly responses: Pick<ResponseCache, 'current'>;
  /** Counts the views of a cached response and fills in their numbers, one character for each byte; undefined where a notice was withdrawn. */
  readonly countViews: (cached: CachedResponse) => Promise<string | undefined>;
  readonly access: Access;
  readonly previewTime: PreviewTime;
  readonly load: LoadGuard;
  readonly writer: ResponseWriter;
  readonly observer: RequestObserver;
  readonly log: Logger;
}

/** The life of a request. */
export const createApp = (deps: Deps): App => {
  const { routes, requests, failures, responses, countViews, access, previewTime, load, writer, observer, log } = deps;
  const isPublic = !access.isRestricted;
  const requestIdOf = createRequestIds();

  // 1. Known bytes: the response to an equal request, where it is still current and this caller may read it.

  const lookUp: App['lookUp'] = (request) => {
    const key = request.fault ? undefined : requests.keyOf(request);
    const known = key === undefined ? undefined : requests.find(key);
    const current = known && answerKnown(request, key, known);
    if (current) return current;
    // The failure of an equal request, where every caller would get it.
    const failure = key === undefined || known || !sharesFailure(request) ? undefined : failures.find(key);
    if (failure) {
      observer.failed(failure.counts, 'none', failure.response.status, failure.code);
      return writer.failed(failure.response, requestIdOf(request.headers['x-request-id']));
    }
    return () => make(request, key, known);
  };

  const make = (
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest | undefined,
  ): GatewayResponse | Promise<GatewayResponse> => {
    const route = known?.route ?? findQuietly(splitTarget(request.target).path, request);
    const refused = known ? undefined : refuse(request, route);
    if (refused) return refused;
    if (isExempt(request, known, route)) return answer(request, key, known, route);
    // 2. Overload: what would have to be executed waits for its turn.
    if (load.isLagging()) return reject(request, route);
    const turn = load.begin(key);
    return turn ? answerAtTurn(turn, request, key, known, route) : answerInTurn(request, key, route);
  };

  const answerKnown = (
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest,
  ): GatewayResponse | Promise<GatewayResponse> | undefined => {
    if (known.entry === undefined || !(isPublic || access.isGranted(request.headers))) return undefined;
    const cached = responses.current(known.entry);
    if (cached === undefined) return undefined;
    if (!cached.countsViews || cached.status === 404) return answerCached(request, known, cached);
    return request.method === 'HEAD' ? undefined : answerCounted(request, key, known, cached);
  };

  const answerAtTurn = (
    turn: Turn,
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest | undefined,
    route: Route | undefined,
  ): GatewayResponse | Promise<GatewayResponse> => {
    const response = answer(request, key, known, route);
    if (turn === 'join') return response;
    const finish = (made: GatewayResponse): GatewayResponse => {
      load.finish(key);
      return made;
    };
    return response instanceof Promise ? response.then(finish) : finish(response);
  };

  /** Waits with the bare request: so refusing it costs no more than a cache hit, and leaves time for other requests. */
  const answerInTurn = async (
    request: GatewayRequest,
    key: string | undefined,
    route: Route | undefined,
  ): Promise<GatewayResponse> => {
    const { isGone } = request;
    const turn = await load.wait({ key, isGone, bytes: bytesOf(request) });
    if (!turn) return reject(request, route);
    // An equal request may have been answered meanwhile, and has another key then.
    const knownKey = requests.keyOf(request);
    const known = knownKey === undefined ? undefined : requests.find(knownKey);
    const current = known && answerKnown(request, key, known);
    if (!current) return answerAtTurn(turn, request, key, known, route);
    if (turn === 'begin') load.finish(key);
    return current;
  };

  /** @param countedBody with the view counts of this request, where it has any */
  const answerCached = (
    request: GatewayRequest,
    known: KnownRequest,
    cached: CachedResponse,
    startMs = observer.recordsCached ? performance.now() : 0,
    countedBody?: string,
  ): GatewayResponse => {
    const { method, target, headers } = request;
    const requestId = requestIdOf(headers['x-request-id']);
    const response =
      countedBody === undefined
        ? writer.cached(cached, known.head, request, requestId)
        : writer.counted(countedBody, known.head, request, requestId);
    if (cached.status === 404) observer.failed(known.counts, 'hit', 404, 'NOT_FOUND');
    else observer.cached(known.counts, response.status);
    if (observer.recordsCached) {
      const { path } = splitTarget(target);
      observer.recordCached({ method, path, headers }, requestId, known.counts, response.status, startMs);
    }
    return response;
  };

  /** A cached response with placeholders for view counts: the views are counted first. */
  const answerCounted = (
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest,
    cached: CachedResponse,
  ): Promise<GatewayResponse> => {
    const startMs = observer.recordsCached ? performance.now() : 0;
    return countViews(cached).then(
      (body) =>
        body === undefined
          ? answer(request, key, known, known.route)
          : answerCached(request, known, cached, startMs, body),
      (error) => {
        const call = begin(request);
        call.requestContext.counts = known.counts;
        return end(call, withLink(known.head.link, failed(call, error)));
      },
    );
  };

  /** What begins no execution: errors, pages, what may be cached, and views, whose queue has limits of its own. */
  const isExempt = (request: GatewayRequest, known: KnownRequest | undefined, route: Route | undefined): boolean => {
    if (request.fault || request.body instanceof Error || known?.entry?.response) return true;
    return !route || 'respond' in route || route.countsViewsOnly(splitTarget(request.target).path, request);
  };

  const reject = (request: GatewayRequest, route: Route | undefined): GatewayResponse => {
    const requestId = requestIdOf(request.headers['x-request-id']);
    return writer.rejected(load.refuse(), route?.errors ?? PROBLEM_DETAILS, request, requestId);
  };

  /** Scanners make up paths: what no route takes costs about as much as a cache hit. Undefined for any other request. */
  const refuse = (request: GatewayRequest, route: Route | undefined): GatewayResponse | undefined => {
    const { method, target, headers, fault } = request;
    if (fault || targetFault(target)) return undefined;
    const { path } = splitTarget(target);
    if (route?.methods.includes(method) || path.includes('%')) return undefined;
    const requestContext = observer.begin({ method, path, headers }, requestIdOf(headers['x-request-id']));
    if (route?.countedAs) requestContext.isFor(...route.countedAs);
    const error = route ? notAllowed(route) : NOTHING_AT_PATH;
    requestContext.failWith(error.code, true);
    const response = writer.rejected(error, route?.errors ?? PROBLEM_DETAILS, request, requestContext.origin.requestId);
    observer.end(requestContext, response.status);
    return response;
  };

  const answer = (
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest | undefined,
    route: Route | undefined,
  ): GatewayResponse | Promise<GatewayResponse> => {
    const call = begin(request);
    const finish = (response: GatewayResponse): GatewayResponse =>
      key !== undefined && call.requestContext.isRepeatable && sharesFailure(request)
        ? endShared(call, response, key)
        : end(call, response);
    const fail = (error: unknown): GatewayResponse => finish(failed(call, error));
    let response: GatewayResponse | Promise<GatewayResponse>;
    try {
      response = respond(call, key, known, route);
    } catch (error) {
      return fail(error);
    }
    return response instanceof Promise ? response.then(finish, fail) : finish(response);
  };

  /** Where each request is recorded, each is executed too. */
  const sharesFailure = (request: GatewayRequest): boolean =>
    isPublic && !observer.recordsCached && writer.isShared(request);

  // 3. Route.

  const respond = (
    call: Call,
    key: string | undefined,
    known: KnownRequest | undefined,
    found: Route | undefined,
  ): GatewayResponse | Promise<GatewayResponse> => {
    const { request, requestContext } = call;
    const fault = request.fault ?? targetFault(request.target);
    if (fault) throw fault;
    // Where none was found, this says why.
    const route = found ?? find(call.path, request);
    if (!route) throw NOTHING_AT_PATH;
    if (known) requestContext.counts = known.counts;
    else if (route.countedAs) requestContext.isFor(...route.countedAs);

    if (!route.methods.includes(request.method)) throw notAllowed(route);
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow: allowedBy(route) }, body: null };
    if ('respond' in route) return guard(route, call);
    return request.headers[PREVIEW_HEADER] === undefined ? execute(route, call, key, known) : preview(route, call);
  };

  const find = (path: string, request: GatewayRequest): Route | undefined => {
    for (const findRoute of routes) {
      const route = findRoute(path, request);
      if (route && !('exposure' in route && route.exposure === 'off')) return route;
    }
    return undefined;
  };

  // 4. Access: to pages here, to operations in their route, by the fields that they select.

  const guard = async (route: ResponseRoute, call: Call): Promise<GatewayResponse> => {
    if (route.exposure !== 'token') return observer.run(call.requestContext, route.respond, call);
    await access.admitToPage(call.request.headers);
    return asPrivate(await observer.run(call.requestContext, route.respond, call));
  };

  // 5. Execute, or find the response in the cache: by another spelling of the request, or shared with one that is being executed.

  const execute = (
    route: OperationRoute,
    call: Call,
    key: string | undefined,
    known: KnownRequest | undefined,
  ): GatewayResponse | Promise<GatewayResponse> => {
    const knownParsed = known?.parsed();
    if (knownParsed) return run(route, knownParsed, call, key, known);
    return attempt<ParsedRequest | GatewayResponse, GatewayResponse>(
      () => route.parse(call),
      (parsed) => ('status' in parsed ? parsed : run(route, parsed, call, key, undefined)),
      (error) => withLink(route.errorLink, failed(call, error)),
    );
  };

  /** @param known whose request it is, where the request was known */
  const run = (
    route: OperationRoute,
    parsed: ParsedRequest,
    call: Call,
    key: string | undefined,
    known: KnownRequest | undefined,
  ): GatewayResponse | Promise<GatewayResponse> => {
    const { request, requestContext } = call;
    return attempt<Executed | GatewayResponse, GatewayResponse>(
      () => route.run(parsed, call),
      (executed) => {
        if ('headers' in executed) return executed;
        if (executed.answer) requestContext.cache = executed.outcome;
        if ((executed.answer ?? executed).status === 404) requestContext.failWith('NOT_FOUND', true);
        if (key !== undefined) {
          const learnt = known ?? requests.learn(request, route, parsed, requestContext.counts);
          learnt.entry = (executed.answer ?? executed.template)?.entry ?? learnt.entry;
        }
        return writer.executed(executed, parsed.head, request, requestContext.origin.requestId);
      },
      (error) => withLink(route.errorLink, failed(call, error)),
    );
  };

  /** For another time: no other caller gets the response, and no view is counted. */
  const preview = async (route: OperationRoute, call: Call): Promise<GatewayResponse> => {
    let response: GatewayResponse;
    try {
      const previewAt = previewTime(call.request.headers);
      const previewCall: Call = { ...call, previewAt, admit: () => undefined, countViews: false };
      response = await execute(route, previewCall, undefined, undefined);
    } catch (error) {
      response = withLink(route.errorLink, failed(call, error));
    }
    response.headers['cache-control'] = 'private, no-store';
    return response;
  };

  // 6. Errors, in the format of the route's protocol.

  const failed = ({ request, requestContext, log: requestLog }: Call, error: unknown): GatewayResponse => {
    const appError = toAppError(error, requestLog);
    requestContext.failWith(appError.code, true);
    requestContext.isRejected = appError instanceof Overloaded;
    return errorFormatOf(request).toResponse(appError, request.headers);
  };

  const errorFormatOf = (request: GatewayRequest): ErrorFormat =>
    findQuietly(splitTarget(request.target).path, request)?.errors ?? PROBLEM_DETAILS;

  const findQuietly = (path: string, request: GatewayRequest): Route | undefined => {
    try {
      return find(path, request);
    } catch {
      return undefined;
    }
  };

  // 7. Headers that all responses have; log, metrics and trace.

  const begin = (request: GatewayRequest): Call => {
    const { method, target, headers } = request;
    const { path, query } = splitTarget(target);
    const requestContext = observer.begin({ method, path, headers }, requestIdOf(headers['x-request-id']));
    return {
      request,
      path,
      query,
      admit: (rootFields) => access.admit(headers, rootFields),
      countViews: method !== 'HEAD',
      log: lazyLog(log, requestContext),
      observe: (work) => observer.run(requestContext, work),
      requestContext,
    };
  };

  const end = ({ request, requestContext }: Call, response: GatewayResponse): GatewayResponse => {
    const serverTiming = observer.end(requestContext, response.status);
    return writer.completed(response, request, requestContext.origin.requestId, serverTiming);
  };

  /** Ends a request with a failure that equal requests get from memory. */
  const endShared = ({ requestContext }: Call, response: GatewayResponse, key: string): GatewayResponse => {
    const { origin, counts, code = '' } = requestContext;
    const failure = writer.failure(response);
    failures.learn(key, { response: failure, code, counts });
    return writer.failed(failure, origin.requestId, observer.end(requestContext, failure.status));
  };

  return {
    handle: (request) => {
      const found = lookUp(request);
      return typeof found === 'function' ? found() : found;
    },
    lookUp,
  };
};

const NOTHING_AT_PATH = new AppError('NOT_FOUND', 'There is nothing at this path.');

/** What a request takes in memory while it waits, at least. */
const bytesOf = ({ target, headers, body }: GatewayRequest): number => {
  let bytes = target.length + (Buffer.isBuffer(body) ? body.byteLength : 0);
  for (const value of Object.values(headers)) bytes += value?.length ?? 0;
  return bytes;
};

const allowedBy = ({ methods }: Route): string => methods.join(', ');

const notAllowed = (route: Route): AppError => {
  const allow = allowedBy(route);
  return new AppError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { allow } });
};

const targetFault = (target: string): AppError | undefined => {
  if (target.length > MAX_TARGET_CHARS) {
    return new AppError('URI_TOO_LONG', `A request target may have ${MAX_TARGET_CHARS} characters.`);
  }
  return target.startsWith('/') ? undefined : new AppError('BAD_USER_INPUT', 'The request target must be a path.');
};

/** No shared cache may keep what needs a token. */
const asPrivate = (response: GatewayResponse): GatewayResponse => {
  const { headers } = response;
  const { 'cache-control': cacheControl = 'no-store', vary } = headers;
  headers['cache-control'] = String(cacheControl).replace(/\bpublic\b/, 'private');
  headers.vary = vary ? `${vary}, authorization` : 'authorization';
  return response;
};
