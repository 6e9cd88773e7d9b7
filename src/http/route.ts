import type { Exposure } from '../access/access.ts';
import type { Answer } from '../cache/response-cache.ts';
import type { AppError } from '../errors.ts';
import type { LanguageChoice, ShownLanguage } from '../language/languages.ts';
import type { CountedAs } from '../observability/counts.ts';
import type { LazyLog } from '../observability/log.ts';
import type { RequestContext } from '../observability/request-context.ts';
import { type GatewayRequest, type GatewayResponse, problemResponse, type WriteError } from './message.ts';

/** One resource. OPTIONS is answered for all of them, and HEAD as GET without the body. */
export type Route = ResponseRoute | OperationRoute;

/** @returns undefined where it has no route for the path @throws AppError BAD_USER_INPUT for a path that cannot be decoded */
export type FindRoute = (path: string, request: GatewayRequest) => Route | undefined;

interface AnyRoute {
  readonly methods: readonly string[];
  /** Also for requests that are refused before the route sees them. */
  readonly writeError: WriteError;
  readonly countedAs: CountedAs;
}

/** A page, a probe, an image: it makes the whole response itself. */
export interface ResponseRoute extends AnyRoute {
  /** Who may see it. @default 'on' */
  readonly exposure?: Exposure;
  respond(call: Call): GatewayResponse | Promise<GatewayResponse>;
}

/** A way to run operations, whose results are cached. */
export interface OperationRoute extends AnyRoute {
  /** Whether a request is known to want nothing but late values, which are waited for in a queue of their own. Never throws. @default false */
  isAllLate?(request: GatewayRequest): boolean;
  /** Why a request is refused before anything is made for it, and before its body has come. */
  faultOf?(request: GatewayRequest): AppError | undefined;
  /** Executes the request, or finds the result in the cache. A response in place of a result is not cached. @throws AppError (in the promise) */
  run(call: Call): Promise<HeadedAnswer | GatewayResponse>;
}

/** A request that is not answered from the cache at once, with what its route needs. */
export interface Call {
  readonly request: GatewayRequest;
  readonly route: Route;
  readonly path: string;
  readonly query: string;
  /**
   * Admits the caller to an operation by its root fields. Undefined where the caller is admitted at once.
   * @throws (in the promise) AppError UNAUTHENTICATED
   */
  readonly admit: (rootFields: ReadonlySet<string>) => Promise<void> | undefined;
  /** Whether late values are taken: not for HEAD. */
  readonly takesLate: boolean;
  /** The time that the operation is executed for, where it is not now. Its response is not cached. */
  readonly previewAt?: Date | undefined;
  /** In which language it is answered. */
  readonly language: LanguageChoice;
  /** Its lines have the id of the request. */
  readonly log: LazyLog;
  readonly requestContext: RequestContext;
}

/** What a request decides about the head of its response. */
export interface ResponseHead {
  readonly contentType: string;
  /** Whether the content type depends on the header `Accept`. */
  readonly isNegotiated: boolean;
  /** Undefined where the response says nothing of its language. */
  readonly language?: ShownLanguage | undefined;
}

/** A finished body and the head of its response. */
export interface HeadedAnswer {
  readonly answer: Answer;
  readonly head: ResponseHead;
  /** Headers that a plugin has added. Equal requests that are answered from memory do not have them. */
  readonly added?: GatewayResponse['headers'] | undefined;
}

export const READ_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** What requests count as that no route takes, too. */
export const PAGE: CountedAs = ['other', 'page'];

/** A resource that makes the whole response itself. @param exposure who may see it */
export const responseRoute = (
  respond: ResponseRoute['respond'],
  exposure: Exposure = 'on',
  countedAs = PAGE,
): ResponseRoute => ({ methods: READ_METHODS, writeError: problemResponse, countedAs, exposure, respond });
