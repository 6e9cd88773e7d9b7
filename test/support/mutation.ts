import fc from 'fast-check';

/** What may have happened to a text on its way here. */
interface Mutation {
  readonly kind: 'cut' | 'repeat' | 'insert' | 'swap' | 'end';
  /** Where, and how much of it, as shares of its length. */
  readonly at: number;
  readonly share: number;
  readonly inserted: string;
}

/** Mutations of a text in which the given pieces mean something. */
export const mutations = (pieces: readonly string[]): fc.Arbitrary<(text: string) => string> =>
  fc
    .array(
      fc.record<Mutation>({
        kind: fc.constantFrom('cut', 'repeat', 'insert', 'swap', 'end'),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        share: fc.double({ min: 0, max: 0.3, noNaN: true }),
        inserted: fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 5 })),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((steps) => (text) => steps.reduce(mutate, text));

const mutate = (text: string, { kind, at, share, inserted }: Mutation): string => {
  const from = Math.floor(at * text.length);
  const to = from + Math.ceil(share * text.length);
  const [before, part, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  switch (kind) {
    case 'cut':
      return before + after;
    case 'repeat':
      return before + part.repeat(3) + after;
    case 'insert':
      return before + inserted + part + after;
    case 'swap':
      return after + part + before;
    case 'end':
      return before;
  }
};
