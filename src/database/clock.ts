/** The database's clock, which every instance shares: one whose own clock is wrong answers the same. */
export type Clock = ReturnType<typeof createClock>;

/** How far two machines' clocks drift apart, in the worst case that NTP allows for: https://www.rfc-editor.org/rfc/rfc5905 (PHI, times ten). */
const DRIFT = 150e-6;

/** Readings differ by less. A clock that falls behind its own latest time by more was set back. */
const SET_BACK_MS = 10;

/** A clock that runs on this process's monotonic one. Until the first reading it shows the process's own time. */
export const createClock = () => {
  let offsetMs = performance.timeOrigin;
  let uncertaintyMs = Number.POSITIVE_INFINITY;
  let observedMs = 0;
  /** The latest time that it has shown. */
  let latestMs = Number.NEGATIVE_INFINITY;

  /** A reading grows less certain with its age. */
  const agedMs = (atMs: number): number => uncertaintyMs + (atMs - observedMs) * DRIFT;

  return {
    /**
     * Milliseconds since the epoch there, with a fraction. Never fails, never waits.
     * @param atMs by `performance.now()`. @default now
     */
    nowMs: (atMs = performance.now()): number => atMs + offsetMs,
    /** How far that may be off; infinite until the first reading. */
    uncertaintyMs: (): number => agedMs(performance.now()),
    /**
     * Takes in a reading of the database's clock, with this process's `performance.now()` before and after it.
     * A reading that is less certain than the present one is left aside.
     * @returns whether the clock was set back, so that what was read by it may show what is still to come
     */
    observe: (databaseMs: number, sentMs: number, receivedMs: number): boolean => {
      // As NTP assumes: the server read its clock half way through the round trip, and is wrong by half of it at most.
      const halfTripMs = (receivedMs - sentMs) / 2;
      const presentMs = agedMs(receivedMs);
      const offset = databaseMs - (sentMs + halfTripMs);
      // A clock that was set, or another server behind the same name, shows as a leap that no uncertainty explains.
      const hasLeapt = Math.abs(offset - offsetMs) > presentMs + halfTripMs;
      if (halfTripMs > presentMs && !hasLeapt) return false;
      const nowMs = performance.now();
      latestMs = Math.max(latestMs, nowMs + offsetMs);
      offsetMs = offset;
      uncertaintyMs = halfTripMs;
      observedMs = receivedMs;
      // Several small steps back are as good as a large one.
      const isSetBack = nowMs + offsetMs < latestMs - SET_BACK_MS;
      if (isSetBack) latestMs = nowMs + offsetMs;
      return isSetBack;
    },
  };
};
