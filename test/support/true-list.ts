import type { ListVersion } from '../../src/cache/tags.ts';

/** A known list that nothing has altered. */
export const trueList = (): ListVersion => ({
  alteredAt: () => 0,
  unknownSince: Number.POSITIVE_INFINITY,
  released: undefined,
  learn: async () => {},
  isEnough: () => true,
});
