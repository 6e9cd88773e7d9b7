import { type Check, ok, oneRow, warn } from './check.ts';

const TRIES = 5;
const TOLERATED_MS = 1000;

/** How far the clocks of this machine and of the database are apart, as well as a round trip can tell. */
export const checkClock: Check = async ({ client }) => {
  let best = { offsetMs: 0, tripMs: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const sentMs = performance.now();
    const sentAtMs = Date.now();
    const { now } = await oneRow<{ now: number }>(
      client,
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    const tripMs = performance.now() - sentMs;
    if (tripMs < best.tripMs) best = { offsetMs: now - (sentAtMs + tripMs / 2), tripMs };
  }
  const offsetMs = Math.round(best.offsetMs);
  const round = `a round trip takes ${best.tripMs.toFixed(1)} ms`;
  if (Math.abs(offsetMs) <= TOLERATED_MS)
    return [ok('clock', `the database's is ${offsetMs} ms from this machine's; ${round}`)];
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return [
    warn(
      'clock',
      `the database's is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's; ${round}`,
      'Let NTP set both. Answers follow the database, so they agree; notices start and end wrongly if it is the database that is wrong.',
    ),
  ];
};
