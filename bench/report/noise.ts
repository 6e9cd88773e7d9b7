import type { Results } from '../benchmark.ts';
import { medianOf } from '../measure/median.ts';
import { LIMIT } from '../servers/contenders.ts';

/** The limit never waits for anything but its core: below this, somebody else had the rest. */
const WHOLE_CORE = 0.85;

/** What the limit tells of the machine, as sentences: how far the numbers may be off, and whether they can be used at all. */
export const noiseOf = ({ samples }: Results): string[] => {
  const own = samples.filter(({ server }) => server === LIMIT.name);
  const cells = [...Map.groupBy(own, ({ workload, method }) => `${workload} ${method}`).values()];
  const spreads = cells.map((rounds) => {
    const rates = rounds.map(({ requestsPerSecond }) => requestsPerSecond);
    return Math.max(...rates) / Math.min(...rates);
  });
  const disturbed = own.filter(({ cores = 1 }) => cores < WHOLE_CORE).length;
  return [
    ...(own.length > cells.length
      ? [
          `The limit's fastest round over its slowest: ${medianOf(spreads).toFixed(2)}, at worst ${Math.max(...spreads).toFixed(2)}.`,
        ]
      : []),
    ...(disturbed > 0
      ? [
          `**The machine was busy with something else**: in ${disturbed} of ${own.length} measurements the limit did not have its core to itself. Trust the CPU times, not the requests a second.`,
        ]
      : []),
  ];
};
