import type { Clock } from '../database/clock.ts';
import { withDeadline } from '../deadline.ts';
import { bytesOf, type CachedResponse, type CacheEntry, toBody } from './cached-response.ts';
import { Dependencies } from './dependencies.ts';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import { createResponseStore } from './response-store.ts';
import type { TagVersions } from './tags.ts';

/** Where a response came from: https://www.rfc-editor.org/rfc/rfc9211 */
export type CacheOutcome = 'hit' | 'stale' | 'miss';

export interface Found {
  readonly answer: CachedResponse;
  readonly outcome: CacheOutcome;
}

/** The answer to a request. */
export type Executed =
  /** Equal requests get the same. */
  | (Found & { readonly body?: undefined; readonly encoding?: undefined })
  /** For this request alone. */
  | {
      readonly status: CachedResponse['status'];
      readonly body: string;
      readonly encoding: 'utf8' | 'latin1';
      readonly answer?: undefined;
      /** The cached response, with late values, that the body was made of. */
      readonly template?: CachedResponse | undefined;
    };

export const executedBytes = ({ answer, body, encoding }: Executed): Buffer =>
  answer ? bytesOf(answer.body) : Buffer.from(body, encoding);

/** Makes the body of a response, and adds to the dependencies what it depends on. */
export type MakeBody = (dependencies: Dependencies) => Promise<string>;

export type ResponseCache = ReturnType<typeof createResponseCache>;

interface Options {
  readonly freshnessMonitor: FreshnessMonitor;
  readonly tagVersions: TagVersions;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly freshnessMs: number;
  readonly staleIfErrorMs: number;
  /** How long a request waits for a response that is being made. */
  readonly timeoutMs: number;
  readonly kindOf: (error: unknown) => FailureKind;
}

/**
 * The kinds of failure: the database cannot be reached; it did not answer, which may be because it is away or because it is slow
 * or locked; this process has too much to do; or something else.
 */
export type FailureKind = 'unreachable' | 'unanswered' | 'overload' | 'other';

/** While it is not known when responses next change, those that are being made are shared for this long. */
const UNKNOWN_CHANGE_MS = 20;

/** A response that was made so often, each time within twice the bound of the last, is in a flood of changes. */
const FLOOD_REMAKES = 4;

/** While the database is known to be away, it is tried once in this time; other requests do not wait to find out. */
const RETRY_AFTER_FAILURE_MS = 500;

/**
 * The responses to operations, whichever protocol asked. A response is cached only if nothing that it depends on changed while it was made, and
 * given only while nothing of that has changed since, except in floods of changes.
 */
export const createResponseCache = ({
  freshnessMonitor,
  tagVersions,
  clock,
  maxBytes,
  freshnessMs,
  staleIfErrorMs,
  timeoutMs,
  kindOf,
}: Options) => {
  const stats = { hits: 0, misses: 0, stale: 0, joined: 0 };
  /** Those whose bodies are being made. */
  const tickets = new Map<string, Ticket>();
  const store = createResponseStore(maxBytes);
  /** When the database is tried next; undefined while it is not known to be away. */
  let nextTryMs: number | undefined;

  const { hasChanged } = tagVersions;
  const { tables } = tagVersions.tags;

  /** Whether time alone has changed nothing. */
  const holds = ({ validUntilMs }: CachedResponse): boolean =>
    validUntilMs === undefined || clock.nowMs() < validUntilMs;

  /** A response that was read within the bound misses no commit that is older, whatever has changed since. */
  const isYoung = ({ asOfMs }: CachedResponse): boolean => performance.now() - asOfMs < freshnessMs;

  // In a flood of changes a response is made once within the bound, and not for each change.
  const isGiven = (cached: CachedResponse): boolean =>
    (!hasChanged(cached) || (cached.remakes >= FLOOD_REMAKES && isYoung(cached))) && holds(cached);

  const createDependencies = (): Dependencies => new Dependencies(tagVersions.tags);

  /** A cache miss: what the response depends on, and what becomes of it. A class, because closures would be made for each. */
  class Ticket {
    readonly dependencies = createDependencies();
    /** Rejects with the error of an operation that failed. */
    response: Promise<CachedResponse> | undefined;
    readonly #key: string;
    // Noted before the operation begins: what this process learns meanwhile may be later than what the operation reads.
    readonly #sequence = tagVersions.sequence;
    readonly #openedMs = performance.now();
    readonly #nowMs = clock.nowMs(this.#openedMs);
    readonly #nextChanges = tables.map(({ table }) => freshnessMonitor.nextChangeMs(table, this.#nowMs));

    constructor(key: string) {
      this.#key = key;
      this.dependencies.asOfMs = this.#openedMs;
      this.dependencies.openedMs = this.#openedMs;
    }

    /** Until when equal requests may share the response, in the database's milliseconds: then responses next change by themselves. */
    sharedUntilMs(): number {
      return Math.min(...this.#nextChanges.map((ms) => ms ?? this.#nowMs + UNKNOWN_CHANGE_MS));
    }

    /** The response, which is also cached if it is still true. @param last that was cached under the key until now */
    keep(body: string, last: CachedResponse | undefined): CachedResponse {
      const made = this.toResponse(body, last);
      // Not with several late values: where one is gone, the response is made again, after the others were taken.
      const isKept = made.late.length < 2 && !freshnessMonitor.isLost();
      if (isKept && (!hasChanged(made) || isYoung(made)) && holds(made)) store.set(this.#key, made);
      return made;
    }

    toResponse(body: string, last?: CachedResponse): CachedResponse {
      const { dependencies } = this;
      const openedMs = this.#openedMs;
      const { asOfMs = openedMs } = dependencies;
      const changes = this.#changesMs();
      // A response that was read from a replica has used up some of its time.
      const heldUntilMs = Math.min(this.#nowMs + dependencies.maxAgeMs - (openedMs - asOfMs), changes);
      // A response that may change unnoticed is valid for no time: neither this cache nor one outside keeps it.
      const validUntilMs = dependencies.isWatched ? heldUntilMs : this.#nowMs;
      return {
        key: this.#key,
        entry: last?.entry ?? { response: undefined },
        status: dependencies.status,
        ...toBody(body),
        tags: [...dependencies.tags],
        asOfMs,
        remakes: last && asOfMs - last.asOfMs < freshnessMs * 2 ? last.remakes + 1 : 0,
        trueAt: this.#sequence,
        validUntilMs: finite(validUntilMs),
        changesMs: finite(changes),
        staleUntilMs: dependencies.mayEnd ? Math.min(dependencies.endsMs, changes) : dependencies.endsMs,
        takesLate: dependencies.takesLate,
        late: [...dependencies.late.values()],
        encoded: undefined,
      };
    }

    #changesMs(): number {
      let ms = this.dependencies.changesMs;
      for (const [index, { table }] of tables.entries()) {
        // A next change that is not known may be over already.
        if (this.dependencies.tables.has(table)) ms = Math.min(ms, this.#nextChanges[index] ?? this.#nowMs);
      }
      return ms;
    }
  }

  const makeOrShare = (key: string, make: MakeBody, arrivedMs: number): Promise<CachedResponse> => {
    const open = tickets.get(key);
    // A response that was read before the bound may miss a commit that this request must show.
    // Replicas and known rows make `asOfMs` earlier while the response is made.
    const isYoungEnough = ({ asOfMs = 0 }: Pick<Dependencies, 'asOfMs'>): boolean => asOfMs >= arrivedMs - freshnessMs;
    // A response that was begun before a notice started does not show the notice.
    if (open?.response && isYoungEnough(open.dependencies) && clock.nowMs() < open.sharedUntilMs()) {
      return open.response.then((made) => {
        if (!isYoungEnough(made)) return makeOrShare(key, make, arrivedMs);
        stats.joined += 1;
        return made;
      });
    }
    stats.misses += 1;
    const ticket = new Ticket(key);
    const makeAndKeep = async (): Promise<CachedResponse> => {
      try {
        return ticket.keep(await make(ticket.dependencies), store.get(key));
      } finally {
        if (tickets.get(key) === ticket) tickets.delete(key);
      }
    };
    ticket.response = makeAndKeep();
    tickets.set(key, ticket);
    return ticket.response;
  };

  /** Only an outage is a reason to give a response that may have changed: a database that is slow or locked still commits. */
  const isOutage = async (error: unknown): Promise<boolean> => {
    const kind = kindOf(error);
    if (kind === 'unreachable') return true;
    if (kind === 'other') return false;
    if (freshnessMonitor.isLost()) return true;
    return kind === 'unanswered' && !freshnessMonitor.isFresh() && !(await freshnessMonitor.freshen());
  };

  const findStale = (key: string): Found | undefined => {
    const cached = performance.now() - freshnessMonitor.asOfMs() < staleIfErrorMs ? store.get(key) : undefined;
    if (!cached || hasChanged(cached) || clock.nowMs() >= cached.staleUntilMs) return undefined;
    stats.stale += 1;
    return { answer: cached, outcome: 'stale' };
  };

  return {
    stats,
    size: store.size,
    /** For what is made beside the cache, and never kept. */
    createDependencies,
    /** A response that is neither kept nor given to another, with what it depends on. */
    makeApart: async (key: string, make: MakeBody): Promise<Found> => {
      const ticket = new Ticket(key);
      return { answer: ticket.toResponse(await make(ticket.dependencies)), outcome: 'miss' };
    },
    /** The response of an entry, if it misses no commit older than the bound; at once, or not at all. */
    current: ({ response: cached }: CacheEntry): CachedResponse | undefined => {
      if (cached === undefined || !freshnessMonitor.isFresh() || !isGiven(cached)) return undefined;
      stats.hits += 1;
      // Counts as a use, for the LRU order.
      store.get(cached.key);
      return cached;
    },
    /**
     * The response of a key: cached, shared with an equal request that is being answered, or made. While the database is away, one that was
     * true when the database last answered, for a bounded time. @throws what `make` throws
     */
    get: async (key: string, make: MakeBody): Promise<Found> => {
      const arrivedMs = performance.now();
      if (freshnessMonitor.isFresh(arrivedMs) || (await freshnessMonitor.freshen())) {
        nextTryMs = undefined;
        // A response that is not given stays in the store until another takes its place.
        const cached = store.get(key);
        if (cached && isGiven(cached)) {
          stats.hits += 1;
          return { answer: cached, outcome: 'hit' };
        }
      } else if (nextTryMs !== undefined) {
        const stale = arrivedMs < nextTryMs ? findStale(key) : undefined;
        if (stale) return stale;
        if (arrivedMs >= nextTryMs) nextTryMs = arrivedMs + RETRY_AFTER_FAILURE_MS;
      }
      try {
        const answer = await withDeadline(makeOrShare(key, make, arrivedMs), timeoutMs);
        nextTryMs = undefined;
        return { answer, outcome: 'miss' };
      } catch (error) {
        if (!(await isOutage(error))) throw error;
        nextTryMs = performance.now() + RETRY_AFTER_FAILURE_MS;
        const stale = findStale(key);
        if (stale) return stale;
        throw error;
      }
    },
  };
};

const finite = (ms: number): number | undefined => (ms === Number.POSITIVE_INFINITY ? undefined : ms);
