import type { Clock } from '../database/clock.ts';

/**
 * When what a table shows next changes without a change to its rows (a product published, a notice starting or ending): asked of the database
 * with every beat, and brought forward by changes that are told meanwhile. One that is put off or given up shows with the next beat.
 */
export interface NextChange {
  /** In the database's milliseconds; infinite for never, undefined while it is not known. */
  readonly ms: () => number | undefined;
  /** A change brings with it that moment, in the database's milliseconds, or, where it does not say, any moment. */
  readonly mayBe: (ms: number | undefined) => void;
  /** The database is being asked. */
  readonly asking: () => void;
  /** It answered. */
  readonly is: (ms: number) => void;
}

/** How far our clock may be behind the database's, with what operations lose as they read it in whole milliseconds. */
export const behindMsOf = (clock: Clock): number => clock.uncertaintyMs() + 2;

export const createNextChange = (clock: Clock): NextChange => {
  let knownMs = Number.NEGATIVE_INFINITY;
  // What the answer that is under way may not know of.
  let toldMs = Number.POSITIVE_INFINITY;

  return {
    // One that is over may have hidden another.
    ms: () => (knownMs > clock.nowMs() ? knownMs : undefined),
    mayBe: (ms = Number.NEGATIVE_INFINITY) => {
      toldMs = Math.min(toldMs, ms);
      knownMs = Math.min(knownMs, ms);
    },
    asking: () => {
      toldMs = Number.POSITIVE_INFINITY;
    },
    is: (ms) => {
      knownMs = Math.min(ms, toldMs);
    },
  };
};
