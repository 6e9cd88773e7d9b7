import fc from 'fast-check';

/** What the back office does, one after another. */
export type Write = { readonly pauseMs: number } & (
  | { readonly kind: 'prices'; readonly count: number }
  | { readonly kind: 'notice'; readonly startsInMs: number; readonly lastsMs: number | null }
  | { readonly kind: 'withdrawal' | 'rollback' | 'reload' }
  | { readonly kind: 'table lock' | 'notice lock'; readonly lastsMs: number }
);

/** What befalls the gateways and the database, one after another. */
export interface Blow {
  readonly pauseMs: number;
  readonly kind: (typeof BLOWS)[number];
}

export const BLOWS = ['restart', 'connections', 'listener', 'kill', 'long lock'] as const;

export interface Plan {
  readonly writes: readonly Write[];
  readonly blows: readonly Blow[];
  /** For each client, which requests it makes: numbers to be taken modulo the number of requests. */
  readonly picks: readonly (readonly number[])[];
}

const pauseMs = fc.integer({ min: 20, max: 250 });

const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({ kind: fc.constant('prices' as const), pauseMs, count: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      kind: fc.constant('notice' as const),
      pauseMs,
      startsInMs: fc.integer({ min: -100, max: 1000 }),
      lastsMs: fc.option(fc.integer({ min: 20, max: 3000 })),
    }),
  },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant('withdrawal' as const), pauseMs }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constantFrom('rollback' as const, 'reload' as const), pauseMs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('table lock' as const, 'notice lock' as const),
      pauseMs,
      lastsMs: fc.integer({ min: 50, max: 400 }),
    }),
  },
);

/** All kinds of blows in some order, again and again. */
const blows = fc
  .array(fc.shuffledSubarray([...BLOWS], { minLength: BLOWS.length }), { minLength: 50, maxLength: 50 })
  .chain((rounds) =>
    fc.tuple(
      ...rounds
        .flat()
        .map((kind) => fc.record({ kind: fc.constant(kind), pauseMs: fc.integer({ min: 1000, max: 4000 }) })),
    ),
  );

const PICKS = 1009;

/** The same for the same seed. Each part begins again when it is through. */
export const createPlan = (seed: number, clients: number): Plan => {
  const sample = <Value>(arbitrary: fc.Arbitrary<Value>, offset: number, count: number): Value[] =>
    fc.sample(arbitrary, { seed: seed + offset, numRuns: count });
  return {
    writes: sample(write, 0, 2000),
    blows: sample(blows, 0, 1)[0] ?? [],
    picks: Array.from({ length: clients }, (_, client) => sample(fc.nat(), client + 1, PICKS)),
  };
};
