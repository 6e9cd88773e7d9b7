import { executeRootSelectionSet, type GraphQLError, type VariableValues } from 'graphql';
import type { CacheHints } from '../../cache/hints.ts';
import { attempt } from '../../errors.ts';
import type { Tracing } from '../../observability/tracing.ts';
import type { LoadGuard } from '../../overload/load-guard.ts';
import { type Caller, type CreateContext, type OperationContext, RowVanished } from '../context.ts';
import { createMaskError, ExecutionFailed } from '../failures.ts';
import type { CostLimit } from '../limits/cost.ts';
import type { Operation } from '../operation.ts';
import { writePlaceholders } from '../view-count.ts';
import { NotCompiled } from './output.ts';

/**
 * One execution of an operation. It begins where the cache has no current response, is handed down to executor, context and loaders, and ends
 * with the JSON text of `data` or an error; whether that text is kept, the cache decides by the hints.
 */
export interface Execution {
  readonly operation: Operation;
  readonly variables: VariableValues;
  readonly caller: Caller;
  /** What the response depends on, as loaders and resolvers add it. With `countsViews` the text has placeholders for view counts. */
  readonly hints: CacheHints;
}

/** At once where nothing has to be read. @throws (or rejects with) ExecutionFailed for a result with errors, AppError QUERY_TOO_COMPLEX, Overloaded */
export type Execute = (execution: Execution) => string | Promise<string>;

/** How often the reference executor had to execute a compiled operation again, by how that ended. */
export interface FallBackCounts {
  /** It failed as well: most often the fault is the request's or the database's. */
  failed: number;
  /** It succeeded: the fault is in the compiled operation or in a resolver. */
  answered: number;
}

interface Deps {
  readonly createContext: CreateContext;
  readonly costLimit: CostLimit;
  readonly load: LoadGuard;
  readonly tracing: Tracing;
}

export interface Executor {
  readonly execute: Execute;
  readonly fallBacks: Readonly<FallBackCounts>;
}

export const createExecutor = ({ createContext, costLimit, load, tracing }: Deps): Executor => {
  const fallBacks = createFallBacks();

  /** @param failed how the compiled operation failed */
  const runReference = async (
    { operation, variables, caller, hints }: Execution,
    context: OperationContext,
    isLast: boolean,
    failed?: { readonly error: unknown },
  ): Promise<string> => {
    const contextValue = { ...context, rowBudget: context.rowBudget.renew() };
    const { data, errors } = await executeRootSelectionSet({ ...operation.executionArgs(variables), contextValue });
    const vanished = errors?.find(({ originalError }) => originalError instanceof RowVanished)?.originalError;
    if (vanished && !isLast) throw vanished;
    if (failed) fallBacks.add(operation, failed.error, errors, caller);
    if (!errors) return writePlaceholders(data, hints.views);
    const mask = createMaskError(caller.log);
    const masked = errors.map((error) => mask(error));
    // An operation that turns out to be too complex is refused as a whole: a 400 has no data.
    const refusal = masked.find(({ shown }) => shown.extensions.code === 'QUERY_TOO_COMPLEX');
    throw refusal ? new ExecutionFailed([refusal]) : new ExecutionFailed(masked, data);
  };

  const run: Execute = (execution) => {
    const { operation, variables, hints } = execution;
    if (operation.isOfSchema) hints.dependsOnNothing();
    costLimit.check(operation.cost, variables);
    return tryOnce(execution, false);
  };

  /** @throws RowVanished on the last try alone */
  const tryOnce = (execution: Execution, isLast: boolean): string | Promise<string> => {
    const { operation, variables, caller, hints } = execution;
    const { compiled } = operation;
    const context = createContext(hints, caller.previewAt);
    return attempt(
      () =>
        createContext.during(hints, () =>
          compiled ? compiled.run(variables, context) : runReference(execution, context, isLast),
        ),
      (data) => data,
      (error) => recover(execution, context, isLast, error),
    );
  };

  const recover = async (
    execution: Execution,
    context: OperationContext,
    isLast: boolean,
    error: unknown,
  ): Promise<string> => {
    let failure = error;
    if (execution.operation.compiled && (isLast || !(error instanceof RowVanished))) {
      try {
        // The reference executor meets the same failure in what the loaders remember, and reports it as the specification says.
        return await createContext.during(execution.hints, () => runReference(execution, context, isLast, { error }));
      } catch (reported) {
        failure = reported;
      }
    }
    if (isLast || !(failure instanceof RowVanished)) throw failure;
    // The row that referred to it has changed as well, and is read again.
    execution.hints.clearViews();
    // From the database alone: a row that is known may be older than the one that refers to it.
    execution.hints.asOfMs = undefined;
    return tryOnce(execution, true);
  };

  // https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/
  const runTraced: Execute = (execution) => {
    if (!tracing.isOn) return run(execution);
    const { label, isSubscription } = execution.operation;
    const type = isSubscription ? 'subscription' : 'query';
    const attributes = { 'graphql.operation.type': type, 'graphql.operation.name': label };
    return tracing.span(`${type} ${label}`, attributes, () => run(execution));
  };

  const runGuarded: Execute = (execution) => {
    const turn = load.enter();
    const leave = (data: string): string => {
      load.leave();
      return data;
    };
    const fail = (error: unknown): never => {
      load.leave();
      throw error;
    };
    return attempt(() => (turn ? turn.then(() => runTraced(execution)) : runTraced(execution)), leave, fail);
  };

  return {
    // Views wait in a queue with bounds of its own.
    execute: (execution) => (execution.operation.isOnlyCounted ? runTraced(execution) : runGuarded(execution)),
    fallBacks: fallBacks.counts,
  };
};

const createFallBacks = () => {
  const counts: FallBackCounts = { failed: 0, answered: 0 };
  const logged = { failed: new WeakSet<Operation>(), answered: new WeakSet<Operation>() };
  return {
    counts,
    /**
     * Counts a fall-back, and logs the first of each operation and outcome, unless the result reports the failure.
     * @param error what the compiled operation threw
     * @param errors those of the reference executor
     */
    add: (operation: Operation, error: unknown, errors: readonly GraphQLError[] | undefined, { log }: Caller): void => {
      const outcome = errors ? 'failed' : 'answered';
      counts[outcome] += 1;
      const isReported =
        error instanceof NotCompiled || errors?.some(({ message }) => message === (error as Error).message);
      if ((errors && isReported) || logged[outcome].has(operation)) return;
      logged[outcome].add(operation);
      const fields = { operation: operation.label, err: error };
      if (errors) log().debug(fields, 'A compiled operation failed, and the reference executor otherwise.');
      else log().warn(fields, 'A compiled operation failed where the reference executor did not: it runs twice.');
    },
  };
};
