/** How often values fell into which range, as plain numbers: to add one is two increments, and those of several processes can be added up. */
export class Distribution {
  /** Upper bounds, included, in rising order; what is above the last is counted too. */
  readonly bounds: readonly number[];
  /** One more than bounds. */
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

/** The two doors, and everything else: pages, health, metrics. */
export type Door = 'rest' | 'graphql' | 'other';

/** `none`: not asked for, or never kept. */
export type CacheUse = 'hit' | 'stale' | 'miss' | 'none';

/** The answers to one operation that came about in one way. */
export interface Answered {
  readonly statuses: Map<number, number>;
  readonly seconds: Distribution;
}

/** The answers to one operation. */
export interface OperationCounts {
  readonly door: Door;
  readonly operation: string;
  /** Its path, with parameters in braces; undefined for pages. */
  readonly route: string | undefined;
  readonly byCache: Map<CacheUse, Answered>;
  /** Those that were in memory under the very bytes of their request: counted by an increment and not timed. */
  readonly recalled: { ok: number; notModified: number };
}

export interface RequestCounts {
  /** The counts of an operation. Clients choose the names of theirs: past a number of them, the rest is one operation, `other`. */
  readonly of: (door: Door, operation: string, route?: string) => OperationCounts;
  readonly all: () => Iterable<OperationCounts>;
  /** The requests that ended with an error of the table, by door and code; in GraphQL they may well have status 200. */
  readonly errors: Map<string, { readonly door: Door; readonly code: string; count: number }>;
  /** Being answered now. */
  inFlight: number;
}

const MAX_CLIENT_OPERATIONS = 100;
const MAX_NAME_CHARS = 64;
const REST_OF_THEM = 'other';

/** Seconds. */
export const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export const createRequestCounts = (): RequestCounts => {
  const known: Record<Door, Map<string, OperationCounts>> = { rest: new Map(), graphql: new Map(), other: new Map() };

  const create = (door: Door, operation: string, route?: string): OperationCounts => {
    const counts = { door, operation, route, byCache: new Map(), recalled: { ok: 0, notModified: 0 } };
    known[door].set(operation, counts);
    return counts;
  };

  const of: RequestCounts['of'] = (door, operation, route) => {
    const counts = known[door].get(operation);
    if (counts) return counts;
    const isTooMuch = known.graphql.size >= MAX_CLIENT_OPERATIONS || operation.length > MAX_NAME_CHARS;
    if (door === 'graphql' && isTooMuch) return known.graphql.get(REST_OF_THEM) ?? create(door, REST_OF_THEM, route);
    return create(door, operation, route);
  };

  return {
    of,
    all: () => Object.values(known).flatMap((ofDoor) => [...ofDoor.values()]),
    errors: new Map(),
    inFlight: 0,
  };
};

/** @param seconds from the request to its answer */
export const countAnswer = ({ byCache }: OperationCounts, cache: CacheUse, status: number, seconds: number): void => {
  const answered = byCache.get(cache) ?? {
    statuses: new Map<number, number>(),
    seconds: new Distribution(DURATION_BOUNDS),
  };
  byCache.set(cache, answered);
  answered.statuses.set(status, (answered.statuses.get(status) ?? 0) + 1);
  answered.seconds.add(seconds);
};

/** @param code of the error that a request ended with */
export const countError = ({ errors }: RequestCounts, door: Door, code: string): void => {
  const key = `${door} ${code}`;
  const error = errors.get(key) ?? { door, code, count: 0 };
  errors.set(key, error);
  error.count += 1;
};

/** The statements that were sent to the database. */
export interface StatementCounts {
  readonly byName: Map<string, number>;
  readonly seconds: Distribution;
  failed: number;
}

/** Our own statements have names of our own; Prisma names its by their text. */
const PRISMA = /^prisma_/;

export const createStatementCounts = (): StatementCounts => ({
  byName: new Map(),
  seconds: new Distribution(DURATION_BOUNDS),
  failed: 0,
});

/** @param name undefined for one that is not prepared */
export const countStatement = ({ byName }: StatementCounts, name: string | undefined): void => {
  const label = name === undefined ? 'unnamed' : PRISMA.test(name) ? 'prisma' : name;
  byName.set(label, (byName.get(label) ?? 0) + 1);
};
