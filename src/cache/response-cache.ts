import type { Clock } from '../database/clock.ts';
import { withDeadline } from '../errors.ts';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import { CacheHints } from './hints.ts';
import { type CachedResponse, type CacheEntry, createResponseStore, toBody } from './response-store.ts';
import type { TagVersions } from './tags.ts';

/** How an answer came about: https://www.rfc-editor.org/rfc/rfc9211 */
export type CacheOutcome = 'hit' | 'stale' | 'miss';

export interface Found {
  readonly answer: CachedResponse;
  readonly outcome: CacheOutcome;
}

/** Makes the body of an answer, telling the policy what it rests on. */
export type MakeBody = (hints: CacheHints) => Promise<string>;

export interface ResponseCache {
  /** The response of an entry, if it misses no commit older than the bound; at once, or not at all. */
  readonly current: (entry: CacheEntry) => CachedResponse | undefined;
  /**
   * The answer of a key: from memory, from an equal request that is being answered, or made. While the database is away, one that was true
   * when the database was last heard of, for a bounded time. @throws what `make` throws
   */
  readonly get: (key: string, make: MakeBody) => Promise<Found>;
  /** For what is made beside the cache, and never kept. */
  readonly createHints: () => CacheHints;
  readonly stats: { hits: number; misses: number; stale: number; joined: number };
  /** Bytes in use, and entries. */
  readonly size: () => { bytes: number; entries: number };
}

interface Options {
  readonly freshnessMonitor: FreshnessMonitor;
  readonly tagVersions: TagVersions;
  readonly clock: Clock;
  /** 0 keeps nothing. */
  readonly maxBytes: number;
  readonly freshnessMs: number;
  readonly staleIfErrorMs: number;
  /** How long a request waits for an answer that is being made. */
  readonly timeoutMs: number;
  readonly kindOf: (error: unknown) => FailureKind;
}

/**
 * What a failure says of the database: that it cannot be reached; that it did not answer, which may be because it is away or because it is slow
 * or locked; that this process has too much to do; or something else.
 */
export type FailureKind = 'unreachable' | 'unanswered' | 'overload' | 'other';

interface Flight {
  readonly hints: CacheHints;
  /** When answers next change by themselves, in the database's milliseconds. */
  readonly nextChangeMs: number;
  readonly done: Promise<CachedResponse>;
}

/** What is known as an answer begins to be made. What is learnt meanwhile may be of a later moment than the one it speaks of. */
interface Surroundings {
  readonly nowMs: number;
  readonly trustedUntilMs: number | undefined;
  /** Of changes. */
  readonly sequence: number;
  /** Of each table; undefined while it is not known. */
  readonly nextChangeMs: ReadonlyMap<string, number | undefined>;
}

/** While it is not known when answers next change, those that are being made are given to others for this long. */
const UNKNOWN_CHANGE_MS = 20;

/** An answer that was made anew so often, each time within twice the bound of the last, is in a flood of changes. */
const FLOOD_REMAKES = 4;

/** While the database is known to be away, it is tried once in this time; other requests do not wait to find out. */
const RETRY_AFTER_FAILURE_MS = 500;

/**
 * The answers of both doors. An answer is kept only if nothing that it rests on changed while it was made, and given only while nothing
 * of it has changed since, but for floods of changes; what it takes to know that is the pulse's business.
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
}: Options): ResponseCache => {
  const stats = { hits: 0, misses: 0, stale: 0, joined: 0 };
  // No Map: each time that one grows or shrinks, its table hangs on the one before (for those who go through it meanwhile), and with it all that was in
  // flight then, for many collections of garbage (seen with Node 24).
  const flights: Record<string, Flight | undefined> = Object.create(null);
  const store = createResponseStore(maxBytes);
  /** When the database is tried next; undefined while it is not known to be away. */
  let nextTryMs: number | undefined;

  const hasMoved = (answer: CachedResponse): boolean => {
    const sequence = tagVersions.sequence();
    if (answer.trueAt === sequence) return false;
    if (tagVersions.haveChangedSince(answer.tags, answer.trueAt)) return true;
    // What changed was something else; that need not be found out again.
    answer.trueAt = sequence;
    return false;
  };

  const isOver = ({ validUntilMs }: CachedResponse): boolean =>
    validUntilMs !== undefined && clock.nowMs() >= validUntilMs;

  const isTrue = (answer: CachedResponse): boolean =>
    !hasMoved(answer) && !isOver(answer) && isTrusted(answer.trustedUntilMs);

  /** What was read within the bound misses no commit that is older, whatever has changed since. */
  const isYoung = (answer: CachedResponse): boolean =>
    performance.now() - answer.asOfMs < freshnessMs && !isOver(answer) && isTrusted(answer.trustedUntilMs);

  // A change shows at once all the same; but where one follows the other, the answer is made anew once in that time and not for each of them.
  const isGiven = (answer: CachedResponse): boolean =>
    isTrue(answer) || (answer.remakes >= FLOOD_REMAKES && isYoung(answer));

  // One that is not given stays until another takes its place: that of the same key, or one that is asked for more.
  const find = (key: string): CachedResponse | undefined => {
    const answer = store.get(key);
    return answer === undefined || isGiven(answer) ? answer : undefined;
  };

  const createHints = (): CacheHints => new CacheHints(tagVersions.tags);

  const lookAround = (): Surroundings => ({
    nowMs: clock.nowMs(),
    trustedUntilMs: freshnessMonitor.trustedUntilMs(),
    sequence: tagVersions.sequence(),
    nextChangeMs: new Map(tagVersions.tags.tables.map(({ table }) => [table, freshnessMonitor.nextChangeMs(table)])),
  });

  const makeResponse = async (
    key: string,
    make: MakeBody,
    start: Surroundings,
    hints: CacheHints,
  ): Promise<CachedResponse> => {
    const startedMs = hints.asOfMs ?? 0;
    const text = await make(hints);
    // What was read from a replica has some of its time behind it.
    const untilMs = start.nowMs + hints.maxAgeMs - (startedMs - (hints.asOfMs ?? 0));
    let validUntilMs = Math.min(untilMs, hints.changesMs);
    for (const table of hints.tables) {
      // A next change that is not known may be over already.
      validUntilMs = Math.min(validUntilMs, start.nextChangeMs.get(table) ?? start.nowMs);
    }
    const asOfMs = hints.asOfMs ?? Number.NEGATIVE_INFINITY;
    const last = store.get(key);
    const answer: CachedResponse = {
      key,
      entry: last?.entry ?? { response: undefined },
      isUsed: false,
      ...toBody(text),
      tags: [...hints.tags],
      asOfMs,
      remakes: last && asOfMs - last.asOfMs < freshnessMs * 2 ? last.remakes + 1 : 0,
      trueAt: start.sequence,
      validUntilMs: validUntilMs === Number.POSITIVE_INFINITY ? undefined : validUntilMs,
      trustedUntilMs: start.trustedUntilMs,
      staleUntilMs: hints.endsMs,
      countsViews: hints.countsViews,
      views: [...hints.views],
      encoded: {},
    };
    // With several views in it, one that can no longer be counted would spoil the others, which by then are.
    if (!freshnessMonitor.isLost() && (isTrue(answer) || isYoung(answer)) && answer.views.length < 2)
      store.set(key, answer);
    return answer;
  };

  const join = (key: string, make: MakeBody, arrivedMs: number): Promise<CachedResponse> => {
    const flying = flights[key];
    // One that took off before the bound may have read before a commit that this request must see, and one that took off before
    // a notice began does not show it.
    if (flying && (flying.hints.asOfMs ?? 0) >= arrivedMs - freshnessMs && clock.nowMs() < flying.nextChangeMs) {
      stats.joined += 1;
      return flying.done;
    }
    stats.misses += 1;
    const start = lookAround();
    const unknownMs = start.nowMs + UNKNOWN_CHANGE_MS;
    const nextChangeMs = Math.min(...start.nextChangeMs.values().map((ms) => ms ?? unknownMs));
    const hints = createHints();
    hints.asOfMs = performance.now();
    const done = makeResponse(key, make, start, hints);
    const flight: Flight = { hints, nextChangeMs, done };
    const land = (): void => {
      if (flights[key] === flight) delete flights[key];
    };
    flights[key] = flight;
    done.then(land, land);
    return done;
  };

  /** Only an outage is a reason to answer from memory what may have changed: a database that is slow or locked still commits. */
  const isOutage = async (error: unknown): Promise<boolean> => {
    const kind = kindOf(error);
    if (kind === 'unreachable') return true;
    if (kind === 'other') return false;
    if (freshnessMonitor.isLost()) return true;
    return kind === 'unanswered' && !freshnessMonitor.isFresh() && !(await freshnessMonitor.freshen());
  };

  const findStale = (key: string): Found | undefined => {
    const answer = freshnessMonitor.ageMs() < staleIfErrorMs ? store.get(key) : undefined;
    if (!answer || hasMoved(answer) || clock.nowMs() >= answer.staleUntilMs) return undefined;
    if (answer.trustedUntilMs !== undefined && !isTrusted(answer.trustedUntilMs + staleIfErrorMs)) return undefined;
    stats.stale += 1;
    return { answer, outcome: 'stale' };
  };

  return {
    stats,
    size: store.size,
    createHints,
    current: ({ response: answer }) => {
      if (answer === undefined || !freshnessMonitor.isFresh() || !isGiven(answer)) return undefined;
      stats.hits += 1;
      if (!answer.isUsed) {
        answer.isUsed = true;
        store.get(answer.key);
      }
      return answer;
    },
    get: async (key, make) => {
      const arrivedMs = performance.now();
      if (freshnessMonitor.isFresh() || (await freshnessMonitor.freshen())) {
        nextTryMs = undefined;
        const answer = find(key);
        if (answer) {
          stats.hits += 1;
          return { answer, outcome: 'hit' };
        }
      } else if (nextTryMs !== undefined) {
        if (arrivedMs >= nextTryMs) nextTryMs = arrivedMs + RETRY_AFTER_FAILURE_MS;
        else {
          const stale = findStale(key);
          if (stale) return stale;
        }
      }
      try {
        const answer = await withDeadline(join(key, make, arrivedMs), timeoutMs);
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

/** Where changes are told there is no such moment, and nobody has to look at the time. */
const isTrusted = (untilMs: number | undefined): boolean => untilMs === undefined || performance.now() < untilMs;
