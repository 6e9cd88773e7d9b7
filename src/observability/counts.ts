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
export type HandlerName = 'rest' | 'graphql' | 'other';

/** `none`: the cache was not asked, or the response is not cacheable. */
export type CacheUse = 'hit' | 'stale' | 'miss' | 'none';

/** Responses of one operation with the same use of the cache. */
export interface Answered {
  readonly statuses: Map<number, number>;
  readonly seconds: Distribution;
}

/** Responses of one operation. */
export interface OperationCounts {
  readonly handler: HandlerName;
  readonly operation: string;
  /** The path, with parameters in braces; undefined for pages. */
  readonly route: string | undefined;
  readonly byCache: Map<CacheUse, Answered>;
}

export type RequestCounts = ReturnType<typeof createRequestCounts>;

const MAX_CLIENT_OPERATIONS = 100;
const MAX_NAME_CHARS = 64;
const REST_OF_THEM = 'other';

/** Seconds. */
const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export const createRequestCounts = () => {
  const known: Record<HandlerName, Map<string, OperationCounts>> = {
    rest: new Map(),
    graphql: new Map(),
    other: new Map(),
  };

  const create = (handler: HandlerName, operation: string, route?: string): OperationCounts => {
    const counts: OperationCounts = { handler, operation, route, byCache: new Map() };
    known[handler].set(operation, counts);
    return counts;
  };

  return {
    /** The counts of an operation. Clients name their operations: beyond 100 names, further ones count as `other`. */
    of: (handler: HandlerName, operation: string, route?: string): OperationCounts => {
      const counts = known[handler].get(operation);
      if (counts) return counts;
      const isTooMuch = known.graphql.size >= MAX_CLIENT_OPERATIONS || operation.length > MAX_NAME_CHARS;
      if (handler === 'graphql' && isTooMuch)
        return known.graphql.get(REST_OF_THEM) ?? create(handler, REST_OF_THEM, route);
      return create(handler, operation, route);
    },
    all: (): OperationCounts[] => Object.values(known).flatMap((operations) => [...operations.values()]),
    /** Requests that ended with an error, by handler and code. In GraphQL their status may be 200. */
    errors: new Map<string, { readonly handler: HandlerName; readonly code: string; count: number }>(),
    /** Requests without a response yet. */
    inFlight: 0,
    /** Those that were sent to the database. */
    statements: { byName: new Map<string, number>(), seconds: new Distribution(DURATION_BOUNDS), failed: 0 },
  };
};

/** @param seconds from the request to its answer; 0 for a response that was found by the bytes of its request, which is not timed */
export const countAnswer = ({ byCache }: OperationCounts, cache: CacheUse, status: number, seconds: number): void => {
  let answered = byCache.get(cache);
  if (!answered) {
    answered = { statuses: new Map(), seconds: new Distribution(DURATION_BOUNDS) };
    byCache.set(cache, answered);
  }
  answered.statuses.set(status, (answered.statuses.get(status) ?? 0) + 1);
  answered.seconds.add(seconds);
};

/** @param code of the error that a request ended with */
export const countError = ({ errors }: RequestCounts, handler: HandlerName, code: string): void => {
  const key = `${handler} ${code}`;
  const error = errors.get(key) ?? { handler, code, count: 0 };
  errors.set(key, error);
  error.count += 1;
};

/** Our statements have readable names; Prisma's are named by a hash of their text. @param name undefined for one that is not prepared */
export const countStatement = ({ statements: { byName } }: RequestCounts, name: string | undefined): void => {
  const label = name === undefined ? 'unnamed' : name.startsWith('prisma_') ? 'prisma' : name;
  byName.set(label, (byName.get(label) ?? 0) + 1);
};
