import type { Probe } from './probe.ts';

/** Of the whole time, until caches are full and code is compiled. */
const WARM_UP_SHARE = 1 / 3;

/** What a flat line may gain or lose by chance, and what may be kept of the code that is compiled late. */
const MAX_GROWTH_BYTES = 3 * 1_048_576;

export interface Growth {
  readonly fromBytes: number;
  readonly bytes: number;
  readonly isFlat: boolean;
}

/** How much the line through the probes rises after the warm-up: that of Theil and Sen, which outliers do not turn. */
export const growthOf = (probes: readonly Probe[]): Growth => {
  const values = probes.slice(Math.floor(probes.length * WARM_UP_SHARE)).map(({ bytes }) => bytes);
  const slopes = values.flatMap((value, index) =>
    values.slice(index + 1).map((later, more) => (later - value) / (more + 1)),
  );
  const bytes = median(slopes) * (values.length - 1);
  return { fromBytes: median(values) - bytes / 2, bytes, isFlat: bytes < MAX_GROWTH_BYTES };
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
