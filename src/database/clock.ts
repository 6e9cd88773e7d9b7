import type { Pool } from 'pg';

/** The database's clock, which every instance shares: one whose own clock is wrong answers the same. */
export interface Clock {
  /** The present moment there, to the millisecond. Never fails, never waits. */
  readonly now: () => Date;
  /** Compares the two clocks again. @throws what the query throws */
  readonly synchronise: () => Promise<void>;
}

/** A clock that runs on this process's monotonic one from the last {@link Clock.synchronise}; until then it shows the process's own time. */
export const createClock = (pool: Pool): Clock => {
  let offsetMs = performance.timeOrigin;

  return {
    now: () => new Date(performance.now() + offsetMs),
    synchronise: async () => {
      const sentMs = performance.now();
      const { rows } = await pool.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
      const receivedMs = performance.now();
      // As NTP assumes: the server read its clock half way through the round trip.
      offsetMs = Number(rows[0]?.ms) - (sentMs + receivedMs) / 2;
    },
  };
};
