import { LRUCache } from 'lru-cache';
import { PREVIEW_HEADER } from '../access/preview.ts';
import type { CacheEntry } from '../cache/cached-response.ts';
import type { OperationCounts } from '../observability/counts.ts';
import { type BodyShapes, MAX_BODY_BYTES } from './body-shapes.ts';
import { type GatewayRequest, GRAPHQL_PATH } from './message.ts';
import type { OperationRoute, ParsedRequest, ResponseHead } from './route.ts';

/**
 * Parsed requests by their bytes: an equal request need not be routed, parsed or validated again, and its cached response is one look-up away.
 * Another spelling of a request has an entry of its own, which leads to the same cached response.
 */
export interface RequestCache {
  /** Everything that decides the response; undefined for a request that is never cached. */
  readonly keyOf: (request: GatewayRequest) => string | undefined;
  readonly find: (key: string) => KnownRequest | undefined;
  /** Of a request that has a key. Equal ones have another key from then on, where their body is of a shape that was not known. */
  readonly learn: (
    request: GatewayRequest,
    route: OperationRoute,
    parsed: ParsedRequest,
    counts: OperationCounts,
  ) => KnownRequest;
}

/** A request that was answered before. */
export class KnownRequest {
  readonly route: OperationRoute;
  readonly head: ResponseHead;
  /** Of the operation, for the metrics. */
  readonly counts: OperationCounts;
  /** Of its response in the response cache. */
  entry: CacheEntry | undefined = undefined;
  readonly #operation: WeakRef<object>;
  readonly #parsed: Omit<ParsedRequest, 'operation'>;

  constructor(
    route: OperationRoute,
    counts: OperationCounts,
    operation: WeakRef<object>,
    parsed: Omit<ParsedRequest, 'operation'>,
  ) {
    this.route = route;
    this.head = parsed.head;
    this.counts = counts;
    this.#operation = operation;
    this.#parsed = parsed;
  }

  /** Undefined where the document of its operation is no longer in memory. */
  parsed(): ParsedRequest | undefined {
    const operation = this.#operation.deref();
    return operation && { ...this.#parsed, operation };
  }
}

/** What an entry takes beside its key (measured): objects, and its part of the map. */
const ENTRY_OVERHEAD_BYTES = 500;

/** The key, and the values that were parsed from it. */
const BYTES_PER_CHAR = 2;

export const createRequestCache = (maxBytes: number, shapes: BodyShapes<unknown>): RequestCache => {
  const sizeOf = ({ head: { link = '' } }: KnownRequest, key: string): number =>
    key.length * BYTES_PER_CHAR + link.length + ENTRY_OVERHEAD_BYTES;
  const known = new LRUCache<string, KnownRequest>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  // One for all requests of an operation: each weak reference costs the garbage collector time.
  const references = new WeakMap<object, WeakRef<object>>();

  const referenceTo = (operation: object): WeakRef<object> => {
    const reference = references.get(operation) ?? new WeakRef(operation);
    references.set(operation, reference);
    return reference;
  };

  const keyOf: RequestCache['keyOf'] = (request) => {
    const { method, target, headers, body } = request;
    if (headers[PREVIEW_HEADER] !== undefined) return undefined;
    const { accept = '' } = headers;
    // A GraphQL query in the target negotiates its media type; a REST path has one.
    if (method === 'GET' || method === 'HEAD') return target.startsWith(GRAPHQL_PATH) ? `${accept} ${target}` : target;
    if (
      method !== 'POST' ||
      target !== GRAPHQL_PATH ||
      !Buffer.isBuffer(body) ||
      body.byteLength > MAX_BODY_BYTES ||
      headers['content-type'] !== 'application/json' ||
      headers['content-encoding'] !== undefined
    )
      return undefined;
    const split = shapes.split(request);
    // No header has either control character, so that no two requests have one key.
    return split ? `${accept}\r${split.shape.id} ${split.variables}` : `${accept}\n${body.toString('latin1')}`;
  };

  return {
    keyOf,
    find: (key) => known.get(key),
    learn: (request, route, { operation, ...parsed }, counts) => {
      shapes.learn(request);
      const learnt = new KnownRequest(route, counts, referenceTo(operation), parsed);
      const key = keyOf(request);
      if (key !== undefined) known.set(key, learnt);
      return learnt;
    },
  };
};
