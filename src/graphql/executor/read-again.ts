import type { Dependencies } from '../../cache/dependencies.ts';
import { ReadAgain } from '../../database/failures.ts';
import { rootCause } from '../graphql-errors.ts';

/** While rows change all the time, the rows of two statements may not fit together twice in a row. */
const MAX_TRIES = 3;

/** Reads all again where the reads do not fit together. @param work throws ReadAgain, unless it is the last try */
export const untilRowsFit = async <Result>(
  dependencies: Pick<Dependencies, 'readAgain'>,
  work: (isLast: boolean) => Promise<Result>,
): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    const isLast = tries === MAX_TRIES;
    try {
      return await work(isLast);
    } catch (error) {
      if (!(error instanceof ReadAgain) || isLast) throw error;
      dependencies.readAgain();
    }
  }
};

/**
 * Codes of reads that may succeed when they are repeated: PostgreSQL has given the read up to end a deadlock, as with a TRUNCATE of several tables:
 * https://www.prisma.io/docs/orm/reference/error-reference, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const OVERTAKEN: ReadonlySet<unknown> = new Set(['P2034', '40P01']);

/** @throws ReadAgain where one of the errors of an operation shows that */
export const refuseVanished = (errors: readonly unknown[] = []): void => {
  for (const cause of errors.map(rootCause)) {
    const isPassing = cause instanceof ReadAgain || OVERTAKEN.has((cause as { code?: unknown } | null)?.code);
    if (isPassing) throw new ReadAgain('What was read does not fit together', { cause });
  }
};
