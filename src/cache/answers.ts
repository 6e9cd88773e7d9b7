import type { Clock } from '../database/clock.ts';
import { withDeadline } from '../deadline.ts';
import { type Answer, type Place, toBody } from './answer.ts';
import { createAnswerStore } from './answer-store.ts';
import type { Changes, Table } from './changes.ts';
import { GatheredPolicy } from './policy.ts';
import type { Pulse } from './pulse.ts';

/** How an answer came about: https://www.rfc-editor.org/rfc/rfc9211 */
export type CacheOutcome = 'hit' | 'stale' | 'miss';

export interface Found {
  readonly answer: Answer;
  readonly outcome: CacheOutcome;
}

/** Makes the body of an answer, telling the policy what it rests on. */
export type MakeBody = (policy: GatheredPolicy) => Promise<string>;

export interface Answers {
  /** An answer in memory that misses no commit older than the bound; at once, or not at all. */
  readonly peek: (key: string) => Answer | undefined;
  /** The same for one whose place is known, which is half the work. */
  readonly peekAt: (place: Place) => Answer | undefined;
  /**
   * The answer of a key: from memory, from an equal request that is being answered, or made. While the database is away, one that was true
   * when the database was last heard of, for a bounded time. @throws what `make` throws
   */
  readonly get: (key: string, make: MakeBody) => Promise<Found>;
  readonly stats: { hits: number; misses: number; stale: number; joined: number };
  /** Bytes in use, and entries. */
  readonly size: () => { bytes: number; entries: number };
}

interface Options {
  readonly pulse: Pulse;
  readonly changes: Changes;
  readonly clock: Clock;
  /** 0 keeps nothing. */
  readonly maxBytes: number;
  readonly freshnessMs: number;
  readonly staleIfErrorMs: number;
  /** How long a request waits for an answer that is being made. */
  readonly timeoutMs: number;
  /** Whether a failure says that the database is away. */
  readonly isOutage: (error: unknown) => boolean;
}

interface Flight {
  readonly policy: GatheredPolicy;
  /** When answers next change by themselves, in the database's milliseconds. */
  readonly nextChangeMs: number;
  readonly done: Promise<Answer>;
}

/** What is known as an answer begins to be made. What is learnt meanwhile may be of a later moment than the one it speaks of. */
interface Surroundings {
  readonly nowMs: number;
  readonly trustedUntilMs: number | undefined;
  /** Of changes. */
  readonly sequence: number;
  readonly nextChangeMs: Readonly<Record<Table, number | undefined>>;
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
export const createAnswers = ({
  pulse,
  changes,
  clock,
  maxBytes,
  freshnessMs,
  staleIfErrorMs,
  timeoutMs,
  isOutage,
}: Options): Answers => {
  const stats = { hits: 0, misses: 0, stale: 0, joined: 0 };
  // No Map: each time that one grows or shrinks, its table hangs on the one before (for those who go through it meanwhile), and with it all that was in
  // flight then, for many collections of garbage (seen with Node 24).
  const flights: Record<string, Flight | undefined> = Object.create(null);
  const store = createAnswerStore(maxBytes);
  /** When the database is tried next; undefined while it is not known to be away. */
  let nextTryMs: number | undefined;

  const hasMoved = (answer: Answer): boolean => {
    const sequence = changes.sequence();
    if (answer.trueAt === sequence) return false;
    if (changes.haveTouched(answer.parts, answer.trueAt)) return true;
    // What changed was something else; that need not be found out again.
    answer.trueAt = sequence;
    return false;
  };

  const isOver = ({ validUntilMs }: Answer): boolean => validUntilMs !== undefined && clock.nowMs() >= validUntilMs;

  const isTrue = (answer: Answer): boolean => !hasMoved(answer) && !isOver(answer) && isTrusted(answer.trustedUntilMs);

  /** What was read within the bound misses no commit that is older, whatever has changed since. */
  const isYoung = (answer: Answer): boolean =>
    performance.now() - answer.asOfMs < freshnessMs && !isOver(answer) && isTrusted(answer.trustedUntilMs);

  // A change shows at once all the same; but where one follows the other, the answer is made anew once in that time and not for each of them.
  const isGiven = (answer: Answer): boolean => isTrue(answer) || (answer.remakes >= FLOOD_REMAKES && isYoung(answer));

  // One that is not given stays until another takes its place: that of the same key, or one that is asked for more.
  const find = (key: string): Answer | undefined => {
    const answer = store.get(key);
    return answer === undefined || isGiven(answer) ? answer : undefined;
  };

  const remakesOf = (key: string, asOfMs: number): number => {
    const last = store.get(key);
    return last && asOfMs - last.asOfMs < freshnessMs * 2 ? last.remakes + 1 : 0;
  };

  const lookAround = (): Surroundings => ({
    nowMs: clock.nowMs(),
    trustedUntilMs: pulse.trustedUntilMs(),
    sequence: changes.sequence(),
    nextChangeMs: {
      category: pulse.nextChangeMs('category'),
      product: pulse.nextChangeMs('product'),
      notice: pulse.nextChangeMs('notice'),
    },
  });

  const makeAnswer = async (
    key: string,
    make: MakeBody,
    start: Surroundings,
    policy: GatheredPolicy,
  ): Promise<Answer> => {
    const startedMs = policy.asOfMs ?? 0;
    const text = await make(policy);
    // What was read from a replica has some of its time behind it.
    const untilMs = start.nowMs + policy.maxAgeMs - (startedMs - (policy.asOfMs ?? 0));
    let validUntilMs = Math.min(untilMs, policy.changesMs);
    for (const table of policy.tables) {
      // A next change that is not known may be over already.
      validUntilMs = Math.min(validUntilMs, start.nextChangeMs[table] ?? start.nowMs);
    }
    const asOfMs = policy.asOfMs ?? Number.NEGATIVE_INFINITY;
    const answer: Answer = {
      key,
      place: { answer: undefined },
      isUsed: false,
      ...toBody(text),
      parts: [...policy.parts],
      asOfMs,
      remakes: remakesOf(key, asOfMs),
      trueAt: start.sequence,
      validUntilMs: validUntilMs === Number.POSITIVE_INFINITY ? undefined : validUntilMs,
      trustedUntilMs: start.trustedUntilMs,
      staleUntilMs: policy.endsMs,
      views: [...policy.views],
      coded: {},
    };
    // With several views in it, one that can no longer be counted would spoil the others, which by then are.
    if (!pulse.isLost() && (isTrue(answer) || isYoung(answer)) && answer.views.length < 2) store.set(key, answer);
    return answer;
  };

  const join = (key: string, make: MakeBody, arrivedMs: number): Promise<Answer> => {
    const flying = flights[key];
    // One that took off before the bound may have read before a commit that this request must see, and one that took off before
    // a notice began does not show it.
    if (flying && (flying.policy.asOfMs ?? 0) >= arrivedMs - freshnessMs && clock.nowMs() < flying.nextChangeMs) {
      stats.joined += 1;
      return flying.done;
    }
    stats.misses += 1;
    const start = lookAround();
    const unknownMs = start.nowMs + UNKNOWN_CHANGE_MS;
    const { category, product, notice } = start.nextChangeMs;
    const nextChangeMs = Math.min(category ?? unknownMs, product ?? unknownMs, notice ?? unknownMs);
    const policy = new GatheredPolicy();
    policy.asOfMs = performance.now();
    const done = makeAnswer(key, make, start, policy);
    const flight: Flight = { policy, nextChangeMs, done };
    const land = (): void => {
      if (flights[key] === flight) delete flights[key];
    };
    flights[key] = flight;
    done.then(land, land);
    return done;
  };

  const findStale = (key: string): Found | undefined => {
    const answer = pulse.ageMs() < staleIfErrorMs ? store.get(key) : undefined;
    if (!answer || hasMoved(answer) || clock.nowMs() >= answer.staleUntilMs) return undefined;
    if (answer.trustedUntilMs !== undefined && !isTrusted(answer.trustedUntilMs + staleIfErrorMs)) return undefined;
    stats.stale += 1;
    return { answer, outcome: 'stale' };
  };

  return {
    stats,
    size: store.size,
    peek: (key) => {
      const answer = pulse.isFresh() ? find(key) : undefined;
      if (answer) stats.hits += 1;
      return answer;
    },
    peekAt: ({ answer }) => {
      if (answer === undefined || !pulse.isFresh() || !isGiven(answer)) return undefined;
      stats.hits += 1;
      if (!answer.isUsed) {
        answer.isUsed = true;
        store.get(answer.key);
      }
      return answer;
    },
    get: async (key, make) => {
      const arrivedMs = performance.now();
      if (pulse.isFresh() || (await pulse.freshen())) {
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
        if (!isOutage(error)) throw error;
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
