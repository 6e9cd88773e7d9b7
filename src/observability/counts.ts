/** A histogram in plain numbers: adding a value costs two increments, and histograms of several processes can be summed. */
export class Distribution {
  /** Inclusive upper bounds in rising order. Larger values are counted in one more range. */
  readonly bounds: readonly number[];
  /** One for each bound, and one for larger values. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    counts[index] = (counts[index] as number) + 1;
    this.sum += value;
  }
}

/** Which handler took a request; `other`: pages, health, metrics. */
export type HandlerName = 'rest' | 'graphql' | 'ucp' | 'other';

/** `none`: the cache was not asked, or the response is not cacheable. */
export type CacheUse = 'hit' | 'stale' | 'miss' | 'none';

/** Responses of one operation with the same use of the cache. */
export interface AnswerCounts {
  readonly statuses: Map<number, number>;
  readonly seconds: Distribution;
}

/** Responses of one operation. */
export interface OperationCounts {
  readonly handler: HandlerName;
  readonly operation: string;
  /** The path, with parameters in braces; undefined for pages. */
  readonly route: string | undefined;
  readonly byCache: Map<CacheUse, AnswerCounts>;
}

/** What a request counts as, by its route. The operation of a GraphQL request is known later. @param path with parameters in braces */
export type CountedAs = readonly [handler: HandlerName, operation: string, path?: string];

const MAX_CLIENT_OPERATIONS = 100;
const MAX_NAME_CHARS = 64;
const REST_OF_THEM = 'other';

/** Seconds. */
const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** What a gateway has counted of its requests and their statements. */
export class RequestCounts {
  /** By handler and operation. */
  readonly #known = new Map<string, OperationCounts>();
  #clientOperations = 0;
  /** Requests that ended with an error, by handler and code. In GraphQL their status may be 200. */
  readonly errors = new Map<string, { readonly handler: HandlerName; readonly code: string; count: number }>();
  /** Requests without a response yet. */
  inFlight = 0;
  /** Requests and executions that were refused because of overload. */
  overloads = 0;
  /**
   * Operations that graphql-js has executed: one that is not compiled; or a compiled one again, which failed as well (most often the fault is the
   * request's or the database's) or was answered (the fault is in the compiled operation or in a resolver).
   */
  readonly fallBacks = { notCompiled: 0, failed: 0, answered: 0 };
  /** Those that were sent to the database. */
  readonly statements = { byName: new Map<string, number>(), seconds: new Distribution(DURATION_BOUNDS), failed: 0 };

  /** The counts of an operation. Clients name their operations: beyond 100 names, further ones count as `other`, and so do long ones. */
  of(handler: HandlerName, operation: string, route?: string): OperationCounts {
    const counts = this.#known.get(`${handler} ${operation}`);
    if (counts) return counts;
    const isClients = handler === 'graphql' && operation !== REST_OF_THEM;
    if (isClients && (this.#clientOperations >= MAX_CLIENT_OPERATIONS || operation.length > MAX_NAME_CHARS))
      return this.of(handler, REST_OF_THEM, route);
    if (isClients) this.#clientOperations += 1;
    const created: OperationCounts = { handler, operation, route, byCache: new Map() };
    this.#known.set(`${handler} ${operation}`, created);
    return created;
  }

  all(): readonly OperationCounts[] {
    return [...this.#known.values()];
  }

  /**
   * @param seconds from the request to its answer; 0 for a response that was found by the bytes of its request, which is not timed
   * @param code of the error that the request ended with
   */
  answered(
    { handler, byCache }: OperationCounts,
    cache: CacheUse,
    status: number,
    seconds: number,
    code?: string,
  ): void {
    let answered = byCache.get(cache);
    if (!answered) {
      answered = { statuses: new Map(), seconds: new Distribution(DURATION_BOUNDS) };
      byCache.set(cache, answered);
    }
    answered.statuses.set(status, (answered.statuses.get(status) ?? 0) + 1);
    answered.seconds.add(seconds);
    if (code === undefined) return;
    const key = `${handler} ${code}`;
    const error = this.errors.get(key) ?? { handler, code, count: 0 };
    this.errors.set(key, error);
    error.count += 1;
  }

  /** Our statements have readable names; Prisma's are named by a hash of their text. @param name undefined for one that is not prepared */
  executed(name: string | undefined, seconds: number, hasFailed: boolean): void {
    const { statements } = this;
    const label = name === undefined ? 'unnamed' : name.startsWith('prisma_') ? 'prisma' : name;
    statements.byName.set(label, (statements.byName.get(label) ?? 0) + 1);
    statements.seconds.add(seconds);
    if (hasFailed) statements.failed += 1;
  }
}
