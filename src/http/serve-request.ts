import type { Logger } from 'pino';
import { type Access, PREVIEW_HEADER, type PreviewTime } from '../access/access.ts';
import { type CachedResponse, latin1Of } from '../cache/cached-response.ts';
import { TakenValues } from '../cache/late-value.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { toAppError } from '../database/failures.ts';
import { AppError } from '../errors.ts';
import { LanguageChoice, type Languages } from '../language/languages.ts';
import type { Observer } from '../observability/observer.ts';
import { createRequestIds, type ObservedRequest } from '../observability/request-context.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { ResponseWriter } from './cached-http-response.ts';
import {
  ACCEPT_QUERY,
  type GatewayRequest,
  type GatewayResponse,
  MAX_TARGET_CHARS,
  problemResponse,
  splitTarget,
} from './message.ts';
import type { KnownRequest, RequestCache } from './request-cache.ts';
import { type Call, type FindRoute, type OperationRoute, PAGE, type ResponseRoute, type Route } from './route.ts';

/** The whole gateway, as a function. */
export type App = Pick<Serving, 'handle' | 'lookUp'>;

/** To be called once. */
export type MakeResponse = () => GatewayResponse | Promise<GatewayResponse>;

interface Deps {
  /** The first route that is found is taken. */
  readonly routes: readonly FindRoute[];
  readonly requests: RequestCache;
  readonly responses: Pick<ResponseCache, 'current'>;
  readonly access: Access;
  readonly previewTime: PreviewTime;
  readonly languages: Languages;
  readonly load: LoadGuard;
  readonly writer: ResponseWriter;
  readonly observer: Observer;
  readonly log: Logger;
}

/**
 * The life of a request:
 * 1. key: its bytes lead to the response of an equal one, where that is current and this caller may read it: a hit, with its late values filled in;
 * 2. refuse: what no route takes;
 * 3. load: what has to be executed waits for a place;
 * 4. answer: the route runs it, a page or an operation;
 * 5. write: status, headers, body; an error in the format of the route;
 * 6. record: log, metrics, trace.
 */
export class Serving {
  readonly #deps: Deps;
  readonly #requestIdOf = createRequestIds();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Answers a request: at once from memory, and where it is refused; else by a promise, which never rejects: every failure is a response. */
  readonly handle = (request: GatewayRequest): GatewayResponse | Promise<GatewayResponse> => {
    const found = this.lookUp(request);
    return typeof found === 'function' ? found() : found;
  };

  // 1. Key.

  /** The same in two steps: where the response is not in memory, a function that makes it. */
  readonly lookUp = (request: GatewayRequest): GatewayResponse | Promise<GatewayResponse> | MakeResponse => {
    const key = request.fault ? undefined : this.#deps.requests.keyOf(request);
    const known = key === undefined ? undefined : this.#deps.requests.find(key);
    const hit = known && this.#answerKnown(request, key, known);
    return hit ?? (() => this.#make(request, key, known));
  };

  #answerKnown(
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest,
  ): GatewayResponse | Promise<GatewayResponse> | undefined {
    const { access, responses } = this.#deps;
    if (access.isRestricted && !access.isGranted(request.headers)) return undefined;
    const cached = responses.current(known.entry);
    if (cached === undefined) return undefined;
    if (!cached.takesLate || cached.status === 404) return this.#writeHit(request, known, cached);
    return request.method === 'HEAD' ? undefined : this.#answerFilled(request, key, known, cached);
  }

  /** A cached response with late values, which are taken first. */
  #answerFilled(
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest,
    cached: CachedResponse,
  ): Promise<GatewayResponse> {
    return new TakenValues().fill(latin1Of(cached.body), cached.late).then(
      (body) =>
        body === undefined ? this.#answer(request, key, known.route) : this.#writeHit(request, known, cached, body),
      (error) => {
        const call = this.#begin(request, known.route);
        call.requestContext.counts = known.counts;
        return this.#end(call, this.#writeFailure(call, error));
      },
    );
  }

  // 2. Refuse: what no route takes, which scanners make up, costs about as much as a hit.

  #make(
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest | undefined,
  ): GatewayResponse | Promise<GatewayResponse> {
    const found = known?.route ?? this.#find(request);
    const error = faultOf(request, found);
    return error ? this.#refuse(request, found, error) : this.#answerInTurn(request, key, known, found as Route);
  }

  /** The route of a request, or why there is none. */
  #find(request: GatewayRequest): Route | AppError {
    const { path } = splitTarget(request.target);
    try {
      for (const findRoute of this.#deps.routes) {
        const route = findRoute(path, request);
        if (route && !('exposure' in route && route.exposure === 'off')) return route;
      }
      return NOTHING_AT_PATH;
    } catch (error) {
      return toAppError(error, () => this.#deps.log);
    }
  }

  #refuse(request: GatewayRequest, found: Route | AppError, error: AppError): GatewayResponse {
    const observed = this.#observed(request);
    const { countedAs, writeError } = found instanceof AppError ? NO_ROUTE : found;
    this.#deps.observer.refuse(observed, error, countedAs);
    return this.#deps.writer.completed(writeError(error, request.headers), request, observed.requestId);
  }

  // 3. Load: a request waits bare, so that rejecting it costs little more than a hit.

  async #answerInTurn(
    request: GatewayRequest,
    key: string | undefined,
    known: KnownRequest | undefined,
    route: Route,
  ): Promise<GatewayResponse> {
    // Pages, and what may be in memory by another spelling.
    if ('respond' in route || known?.entry.response !== undefined) return this.#answer(request, key, route);
    const answered = this.#deps.load.line.ifFree(key, () => this.#answer(request, key, route));
    if (answered) return answered;
    // Late values are waited for in a queue with limits of its own. A HEAD takes none.
    if (request.method !== 'HEAD' && route.isAllLate?.(request)) return this.#answer(request, key, route);
    const client = { key, isGone: request.isGone, bytes: bytesOf(request) };
    const later = await this.#deps.load.line.inTurn(client, async () => {
      // An equal request may have been answered meanwhile.
      const now = key === undefined ? undefined : this.#deps.requests.find(key);
      return (now && this.#answerKnown(request, key, now)) ?? this.#answer(request, key, route);
    });
    if (later) return later;
    const requestId = this.#requestIdOf(request.headers['x-request-id']);
    const response = route.writeError(this.#deps.load.refuse(), request.headers);
    return this.#deps.writer.completed(response, request, requestId);
  }

  // 4. Answer.

  async #answer(request: GatewayRequest, key: string | undefined, route: Route): Promise<GatewayResponse> {
    const call = this.#begin(request, route);
    const isPreview = 'run' in route && request.method !== 'OPTIONS' && request.headers[PREVIEW_HEADER] !== undefined;
    let response: GatewayResponse;
    try {
      response = await this.#respond(isPreview ? this.#previewOf(call) : call, key);
    } catch (error) {
      response = this.#writeFailure(call, error);
    }
    if (!isPreview) return this.#end(call, response);
    const headers = { ...response.headers, 'cache-control': 'private, no-store' };
    return this.#end(call, { ...response, lines: undefined, headers });
  }

  async #respond(call: Call, key: string | undefined): Promise<GatewayResponse> {
    const { request, route } = call;
    if (request.method === 'OPTIONS') return optionsOf(route);
    return 'respond' in route ? this.#respondWithPage(route, call) : this.#execute(route, call, key);
  }

  /** For another time: no other caller gets the response, and no late value is taken. */
  #previewOf(call: Call): Call {
    const previewAt = this.#deps.previewTime(call.request.headers);
    return { ...call, previewAt, admit: () => undefined, takesLate: false };
  }

  async #respondWithPage(route: ResponseRoute, call: Call): Promise<GatewayResponse> {
    if (route.exposure !== 'token') return this.#deps.observer.run(call.requestContext, () => route.respond(call));
    await this.#deps.access.admitToPage(call.request.headers);
    return asPrivate(await this.#deps.observer.run(call.requestContext, () => route.respond(call)));
  }

  /** Executes an operation, or finds its response in the cache. */
  async #execute(route: OperationRoute, call: Call, key: string | undefined): Promise<GatewayResponse> {
    const { request, requestContext } = call;
    const answered = await this.#deps.observer.run(requestContext, () => route.run(call));
    if (!('answer' in answered)) return answered;
    const { answer } = answered;
    const language = call.language.shown;
    // Without a language it is one object for all requests that are remembered.
    const head = language ? { ...answered.head, language } : answered.head;
    if (answer.response) requestContext.cache = answer.outcome;
    if ((answer.response ?? answer).status === 404) requestContext.code = 'NOT_FOUND';
    const entry = (answer.response ?? answer.template)?.entry;
    if (key !== undefined && entry)
      this.#deps.requests.learn(key, { route, head, counts: requestContext.counts, entry });
    return this.#deps.writer.ofAnswer({ ...answered, head }, request, requestContext.origin.requestId);
  }

  // 5. Write.

  /** @param filledBody with the late values of this request, where it has any */
  #writeHit(
    request: GatewayRequest,
    { head, counts }: KnownRequest,
    cached: CachedResponse,
    filledBody?: string,
  ): GatewayResponse {
    const { observer, writer } = this.#deps;
    const requestId = this.#requestIdOf(request.headers['x-request-id']);
    const response =
      filledBody === undefined
        ? writer.ofCache(cached, 'hit', head, request, requestId)
        : writer.ofRequest(filledBody, 200, head, request, requestId);
    observer.hit(counts, response.status);
    return response;
  }

  #writeFailure({ request, route, requestContext, log: requestLog }: Call, error: unknown): GatewayResponse {
    const appError = toAppError(error, requestLog);
    requestContext.failWith(appError);
    return route.writeError(appError, request.headers);
  }

  // 6. Record.

  #begin(request: GatewayRequest, route: Route): Call {
    const { method, target, headers } = request;
    const requestContext = this.#deps.observer.begin(this.#observed(request), route.countedAs);
    return {
      request,
      route,
      ...splitTarget(target),
      admit: (rootFields) => this.#deps.access.admit(headers, rootFields),
      takesLate: method !== 'HEAD',
      language: new LanguageChoice(this.#deps.languages, headers['accept-language']),
      log: () => requestContext.logTo(this.#deps.log),
      requestContext,
    };
  }

  #observed({ method, target, headers }: GatewayRequest): ObservedRequest {
    const { path } = splitTarget(target);
    const startMs = performance.now();
    return { requestId: this.#requestIdOf(headers['x-request-id']), method, path, headers, startMs };
  }

  #end({ request, requestContext }: Call, response: GatewayResponse): GatewayResponse {
    this.#deps.observer.end(requestContext, response.status);
    return this.#deps.writer.completed(response, request, requestContext.origin.requestId);
  }
}

const NO_ROUTE: Pick<Route, 'countedAs' | 'writeError'> = { countedAs: PAGE, writeError: problemResponse };

const NOTHING_AT_PATH = new AppError('NOT_FOUND', 'There is nothing at this path.');

/** What a request takes in memory while it waits, at least. */
const bytesOf = ({ target, headers, body }: GatewayRequest): number => {
  let bytes = target.length + (Buffer.isBuffer(body) ? body.byteLength : 0);
  for (const value of Object.values(headers)) bytes += value?.length ?? 0;
  return bytes;
};

const allowedBy = ({ methods }: Route): string => methods.join(', ');

const optionsOf = (route: Route): GatewayResponse => ({
  status: 204,
  headers: { allow: allowedBy(route), ...(route.methods.includes('QUERY') && ACCEPT_QUERY) },
  body: null,
});

const notAllowed = (route: Route): AppError => {
  const allow = allowedBy(route);
  return new AppError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { allow } });
};

const faultOf = (request: GatewayRequest, found: Route | AppError): AppError | undefined => {
  const { fault = targetFault(request.target), method } = request;
  if (fault || found instanceof AppError) return fault ?? (found as AppError);
  if (!found.methods.includes(method)) return notAllowed(found);
  return 'faultOf' in found ? found.faultOf?.(request) : undefined;
};

const targetFault = (target: string): AppError | undefined => {
  if (target.length > MAX_TARGET_CHARS) {
    return new AppError('URI_TOO_LONG', `A request target may have at most ${MAX_TARGET_CHARS} characters.`);
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
