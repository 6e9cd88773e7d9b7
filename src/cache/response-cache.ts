import type { Clock } from '../database/clock.ts';
import { withDeadline } from '../deadline.ts';
import { type Body, bytesOf, type CachedResponse, type CacheEntry, toBody } from './cached-response.ts';
import { Dependencies } from './dependencies.ts';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import { createResponseStore } from './response-store.ts';
import type { TagVersions } from './tags.ts';

/** Where a response came from: https://www.rfc-editor.org/rfc/rfc9211 */
export type CacheOutcome = 'hit' | 'stale' | 'miss';

export interface Found {
  readonly response: CachedResponse;
  readonly outcome: CacheOutcome;
}

/** The answer to a request. */
export type Answer =
  /** Equal requests get the same. */
  | (Found & { readonly body?: undefined })
  /** For this request alone. */
  | {
      readonly status: CachedResponse['status'];
      readonly body: Body;
      readonly response?: undefined;
      /** The cached response, with late values, that the body was made of. */
      readonly template?: CachedResponse | undefined;
    };

export const bytesOfAnswer = ({ response, body }: Answer): Buffer => bytesOf(response ? response.body : body);

/** Makes the body of a response, and adds to the dependencies what it depends on. */
export type MakeBody = (dependencies: Dependencies) => Promise<string>;

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

/** A cache miss: what the response depends on, and since when. */
class Ticket {
  readonly key: string;
  readonly dependencies: Dependencies;
  /** Rejects with the error of an operation that failed. */
  response: Promise<CachedResponse> | undefined;
  readonly #options: Options;
  // Noted before the operation begins: what this process learns meanwhile may be later than what the operation reads.
  readonly #sequence: number;
  readonly #openedMs = performance.now();
  readonly #nowMs: number;
  readonly #nextChanges: readonly (number | undefined)[];

  constructor(key: string, options: Options) {
    const { tagVersions, clock, freshnessMonitor } = options;
    this.key = key;
    this.#options = options;
    this.#sequence = tagVersions.sequence;
    this.#nowMs = clock.nowMs(this.#openedMs);
    this.#nextChanges = tagVersions.tables.map(({ table }) => freshnessMonitor.nextChangeMs(table, this.#nowMs));
    this.dependencies = new Dependencies(tagVersions, this.#openedMs);
  }

  /** Until when equal requests may share the response, in the database's milliseconds: then responses next change by themselves. */
  sharedUntilMs(): number {
    return Math.min(...this.#nextChanges.map((ms) => ms ?? this.#nowMs + UNKNOWN_CHANGE_MS));
  }

  /** @param last that was cached under the key until now */
  toResponse(body: string, last?: CachedResponse): CachedResponse {
    const { dependencies } = this;
    const { freshnessMs } = this.#options;
    const openedMs = this.#openedMs;
    const { asOfMs = openedMs } = dependencies;
    const changes = this.#changesMs();
    // A response that was read from a replica has used up some of its time.
    const heldUntilMs = Math.min(this.#nowMs + dependencies.maxAgeMs - (openedMs - asOfMs), changes);
    // A response that may change unnoticed is valid for no time: neither this cache nor one outside keeps it.
    const validUntilMs = dependencies.isWatched ? heldUntilMs : this.#nowMs;
    return {
      key: this.key,
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
    for (const [index, { table }] of this.#options.tagVersions.tables.entries()) {
      // A next change that is not known may be over already.
      if (this.dependencies.tables.has(table)) ms = Math.min(ms, this.#nextChanges[index] ?? this.#nowMs);
    }
    return ms;
  }
}

/**
 * The responses to operations, whichever protocol asked. A response is cached only if nothing that it depends on changed while it was made, and
 * given only while nothing of that has changed since, except in floods of changes.
 */
export class ResponseCache {
  readonly stats = { hits: 0, misses: 0, stale: 0, joined: 0 };
  readonly size: () => { readonly bytes: number; readonly entries: number };
  readonly #options: Options;
  /** Those whose bodies are being made. */
  readonly #tickets = new Map<string, Ticket>();
  readonly #store: ReturnType<typeof createResponseStore>;
  /** When the database is tried next; undefined while it is not known to be away. */
  #nextTryMs: number | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#store = createResponseStore(options.maxBytes);
    this.size = this.#store.size;
  }

  /** For what is made beside the cache, and never kept. */
  createDependencies(openedMs?: number): Dependencies {
    return new Dependencies(this.#options.tagVersions, openedMs);
  }

  /** A response that is neither kept nor given to another, with what it depends on. */
  async makeApart(key: string, make: MakeBody): Promise<Found> {
    const ticket = new Ticket(key, this.#options);
    return { response: ticket.toResponse(await make(ticket.dependencies)), outcome: 'miss' };
  }

  /** The response of an entry, if it misses no commit older than the bound; at once, or not at all. */
  current({ response: cached }: CacheEntry): CachedResponse | undefined {
    if (cached === undefined || !this.#options.freshnessMonitor.isFresh() || !this.#isGiven(cached)) return undefined;
    this.stats.hits += 1;
    // Counts as a use, for the LRU order.
    this.#store.get(cached.key);
    return cached;
  }

  /**
   * The response of a key: cached, shared with an equal request that is being answered, or made. While the database is away, one that was
   * true when the database last answered, for a bounded time. @throws what `make` throws
   */
  async get(key: string, make: MakeBody): Promise<Found> {
    const { freshnessMonitor, timeoutMs } = this.#options;
    const arrivedMs = performance.now();
    if (freshnessMonitor.isFresh(arrivedMs) || (await freshnessMonitor.freshen())) {
      this.#nextTryMs = undefined;
      // A response that is not given stays in the store until another takes its place.
      const cached = this.#store.get(key);
      if (cached && this.#isGiven(cached)) {
        this.stats.hits += 1;
        return { response: cached, outcome: 'hit' };
      }
    } else if (this.#nextTryMs !== undefined) {
      const stale = arrivedMs < this.#nextTryMs ? this.#findStale(key) : undefined;
      if (stale) return stale;
      if (arrivedMs >= this.#nextTryMs) this.#nextTryMs = arrivedMs + RETRY_AFTER_FAILURE_MS;
    }
    try {
      const response = await withDeadline(this.#makeOrShare(key, make, arrivedMs), timeoutMs);
      this.#nextTryMs = undefined;
      return { response, outcome: 'miss' };
    } catch (error) {
      if (!(await this.#isOutage(error))) throw error;
      this.#nextTryMs = performance.now() + RETRY_AFTER_FAILURE_MS;
      const stale = this.#findStale(key);
      if (stale) return stale;
      throw error;
    }
  }

  #makeOrShare(key: string, make: MakeBody, arrivedMs: number): Promise<CachedResponse> {
    const { freshnessMs, clock } = this.#options;
    const open = this.#tickets.get(key);
    // A response that was read before the bound may miss a commit that this request must show.
    // Replicas and known rows make `asOfMs` earlier while the response is made.
    const isYoungEnough = ({ asOfMs = 0 }: Pick<Dependencies, 'asOfMs'>): boolean => asOfMs >= arrivedMs - freshnessMs;
    // A response that was begun before a notice started does not show the notice.
    if (open?.response && isYoungEnough(open.dependencies) && clock.nowMs() < open.sharedUntilMs()) {
      return open.response.then((made) => {
        if (!isYoungEnough(made)) return this.#makeOrShare(key, make, arrivedMs);
        this.stats.joined += 1;
        return made;
      });
    }
    this.stats.misses += 1;
    const ticket = new Ticket(key, this.#options);
    ticket.response = this.#make(ticket, make);
    this.#tickets.set(key, ticket);
    return ticket.response;
  }

  /** Makes a response, and keeps it if it is still true. */
  async #make(ticket: Ticket, make: MakeBody): Promise<CachedResponse> {
    const { key, dependencies } = ticket;
    const { tagVersions, freshnessMonitor } = this.#options;
    try {
      const body = await make(dependencies);
      const made = ticket.toResponse(body, this.#store.get(key));
      // Not with several late values: where one is gone, the response is made again, after the others were taken.
      const isKept = made.late.length < 2 && !freshnessMonitor.isLost();
      if (isKept && (!tagVersions.hasChanged(made) || this.#isYoung(made)) && this.#holds(made)) {
        this.#store.set(key, made);
      }
      return made;
    } finally {
      if (this.#tickets.get(key) === ticket) this.#tickets.delete(key);
    }
  }

  // In a flood of changes a response is made once within the bound, and not for each change.
  #isGiven(cached: CachedResponse): boolean {
    const isUnchanged = !this.#options.tagVersions.hasChanged(cached);
    return (isUnchanged || (cached.remakes >= FLOOD_REMAKES && this.#isYoung(cached))) && this.#holds(cached);
  }

  /** A response that was read within the bound misses no commit that is older, whatever has changed since. */
  #isYoung({ asOfMs }: CachedResponse): boolean {
    return performance.now() - asOfMs < this.#options.freshnessMs;
  }

  /** Whether time alone has changed nothing. */
  #holds({ validUntilMs }: CachedResponse): boolean {
    return validUntilMs === undefined || this.#options.clock.nowMs() < validUntilMs;
  }

  /** Only an outage is a reason to give a response that may have changed: a database that is slow or locked still commits. */
  async #isOutage(error: unknown): Promise<boolean> {
    const { kindOf, freshnessMonitor } = this.#options;
    const kind = kindOf(error);
    if (kind === 'unreachable') return true;
    if (kind === 'other') return false;
    if (freshnessMonitor.isLost()) return true;
    return kind === 'unanswered' && !freshnessMonitor.isFresh() && !(await freshnessMonitor.freshen());
  }

  #findStale(key: string): Found | undefined {
    const { freshnessMonitor, staleIfErrorMs, tagVersions, clock } = this.#options;
    const isTooOld = performance.now() - freshnessMonitor.asOfMs() >= staleIfErrorMs;
    const cached = isTooOld ? undefined : this.#store.get(key);
    if (!cached || tagVersions.hasChanged(cached) || clock.nowMs() >= cached.staleUntilMs) return undefined;
    this.stats.stale += 1;
    return { response: cached, outcome: 'stale' };
  }
}

const finite = (ms: number): number | undefined => (ms === Number.POSITIVE_INFINITY ? undefined : ms);
