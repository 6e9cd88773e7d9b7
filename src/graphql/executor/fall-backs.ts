import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { NotCompiled } from './placeholder.ts';

/** How often a compiled operation failed and was executed again by the reference executor, by how that ended. */
export interface FallBackCounts {
  /** The reference executor failed as well: most often the fault is the request's or the database's. */
  failed: number;
  /** The reference executor succeeded: the fault is in the compiled operation or in a resolver. */
  answered: number;
}

export interface FallBacks {
  readonly counts: Readonly<FallBackCounts>;
  /**
   * Counts a fall-back, and logs the first of each operation and outcome.
   * @param error what the compiled operation threw
   * @param errors what the reference executor found: a failure among these is answered and logged as such
   */
  readonly add: (
    operation: { readonly label: string },
    error: unknown,
    errors: readonly GraphQLError[] | undefined,
    log: () => Logger,
  ) => void;
}

export const createFallBacks = (): FallBacks => {
  const counts: FallBackCounts = { failed: 0, answered: 0 };
  const logged = { failed: new WeakSet<object>(), answered: new WeakSet<object>() };
  return {
    counts,
    add: (operation, error, errors, log) => {
      const outcome = errors ? 'failed' : 'answered';
      counts[outcome] += 1;
      const isTold =
        error instanceof NotCompiled || errors?.some(({ message }) => message === (error as Error).message);
      if ((errors && isTold) || logged[outcome].has(operation)) return;
      logged[outcome].add(operation);
      const fields = { operation: operation.label, err: error };
      if (errors) log().debug(fields, 'A compiled operation failed, and the reference executor otherwise.');
      else log().warn(fields, 'A compiled operation failed where the reference executor did not: it runs twice.');
    },
  };
};
