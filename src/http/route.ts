import type { Exposure } from '../access/access.ts';
import type { CachedResponse } from '../cache/cached-response.ts';
import type { CacheOutcome } from '../cache/response-cache.ts';
import type { HandlerName } from '../observability/counts.ts';
import type { LazyLog } from '../observability/log.ts';
import type { RequestContext } from '../observability/request-observer.ts';
import type { ErrorFormat, GatewayRequest, GatewayResponse } from './message.ts';

/** One resource. OPTIONS is answered for all of them, and HEAD as GET without the body. */
export type Route = ResponseRoute | OperationRoute;

/** @returns undefined where it has no route for the path @throws AppError BAD_USER_INPUT for a path that cannot be decoded */
export type FindRoute = (path: string, request: GatewayRequest) => Route | undefined;

interface AnyRoute {
  readonly methods: readonly string[];
  /** The format of its errors, also for requests that are refused before the route sees them. */
  readonly errors: ErrorFormat;
  /** How its requests are counted and logged, where the path alone decides. */
  readonly countedAs?: readonly [handler: HandlerName, operation: string, path?: string];
}

/** A page, a probe, an image: it makes the whole response itself. */
export interface ResponseRoute extends AnyRoute {
  /** Who may see it. @default 'on' */
  readonly exposure?: Exposure;
  respond(call: Call): GatewayResponse | Promise<GatewayResponse>;
}

/** A way to run operations, whose results are cached. A response that it gives in place of a result is not cached. */
export interface OperationRoute<Parsed extends ParsedRequest = ParsedRequest> extends AnyRoute {
  /** The value of the header `Link` in its errors. */
  readonly errorLink?: string | undefined;
  /** Whether a request is known to do nothing but count views, which wait in a queue of their own. Never throws. */
  countsViewsOnly(path: string, request: GatewayRequest): boolean;
  /** Reads what a request asks for: at once, unless the caller is admitted later. @throws AppError, or rejects with it */
  parse(call: Call): Parsed | GatewayResponse | Promise<Parsed | GatewayResponse>;
  /** Executes the request, or finds the result in the cache: at once where nothing has to be read. @throws AppError, or rejects with it */
  run(parsed: Parsed, call: Call): Executed | GatewayResponse | Promise<Executed | GatewayResponse>;
}

/** A request that is not answered from the cache at once, with what its route needs. */
export interface Call {
  readonly request: GatewayRequest;
  readonly path: string;
  readonly query: string;
  /**
   * Admits the caller to an operation by its root fields. Undefined where the caller is admitted at once.
   * @throws (in the promise) AppError UNAUTHENTICATED
   */
  readonly admit: (rootFields: ReadonlySet<string>) => Promise<void> | undefined;
  /** Whether notice detail counts a view: not for HEAD. */
  readonly countViews: boolean;
  /** The time that the operation is executed for, where it is not now. Its response is not cached. */
  readonly previewAt?: Date | undefined;
  /** Its lines have the id of the request. */
  readonly log: LazyLog;
  /** Runs work for the request: its statements are counted for the request. */
  readonly observe: <Result>(work: () => Result) => Result;
  readonly requestContext: RequestContext;
}

/** What a request asks for; routes add what they need to run it. */
export interface ParsedRequest {
  /** The request cache references it weakly: it lives as long as its document is cached. */
  readonly operation: object;
  readonly variables: Record<string, unknown>;
  readonly head: ResponseHead;
}

/** What a request decides about the head of its response. */
export interface ResponseHead {
  readonly contentType: string;
  /** Whether the content type depends on the header `Accept`. */
  readonly isNegotiated: boolean;
  /** The value of the header `Link`. */
  readonly link: string | undefined;
}

/** A finished body. */
export type Executed =
  /** Equal requests get the same. */
  | { readonly answer: CachedResponse; readonly outcome: CacheOutcome; readonly body?: undefined }
  /** For this request alone. */
  | {
      readonly status: CachedResponse['status'];
      readonly body: string;
      readonly encoding: 'utf8' | 'latin1';
      readonly answer?: undefined;
      /** The cached response with placeholders for view counts that the body was made of. */
      readonly template?: CachedResponse | undefined;
    };

export const READ_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
