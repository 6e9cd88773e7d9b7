import { Distribution } from './distribution.ts';
import { DURATION_BOUNDS } from './request-counts.ts';

/** The statements that were sent to the database. */
export interface StatementCounts {
  readonly byName: Map<string, number>;
  readonly seconds: Distribution;
  failed: number;
}

/** Our own statements have names of our own; Prisma names its by their text. */
const PRISMA = /^prisma_/;

export const createStatementCounts = (): StatementCounts => ({
  byName: new Map(),
  seconds: new Distribution(DURATION_BOUNDS),
  failed: 0,
});

/** @param name undefined for one that is not prepared */
export const countStatement = ({ byName }: StatementCounts, name: string | undefined): void => {
  const label = name === undefined ? 'unnamed' : PRISMA.test(name) ? 'prisma' : name;
  byName.set(label, (byName.get(label) ?? 0) + 1);
};
