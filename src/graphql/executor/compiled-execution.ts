import {
  type ExecutionArgs,
  type ExecutionResult,
  executeRootSelectionSet,
  type VariableValues,
  validateExecutionArgs,
} from 'graphql';
import type { LazyLog } from '../../observability/log.ts';
import type { OperationContext } from '../context.ts';
import { failureOf } from '../failures.ts';
import type { Operation } from '../operation.ts';
import { refuseVanished } from './read-again.ts';

/**
 * Executes a valid operation by graphql-js, also a subscription's, once.
 * @param isLast whether a row that vanishes while it is executed is an error, because it was executed before
 * @throws (in the promise) ReadAgain, unless it is the last try
 */
export const executeReference = async (args: ExecutionArgs, isLast: boolean): Promise<ExecutionResult> => {
  const validated = validateExecutionArgs(args);
  if (!('schema' in validated)) return { errors: validated };
  const result = await executeRootSelectionSet(validated);
  if (!isLast) refuseVanished(result.errors);
  return result;
};

/** One execution of an operation, whose variables are coerced already. */
interface OneExecution {
  readonly operation: Operation;
  readonly variables: VariableValues;
  readonly context: OperationContext;
  /** As of {@link executeReference}. */
  readonly isLast: boolean;
  readonly log: LazyLog;
}

/** Executes compiled operations. An operation that is not compiled, or fails, is executed by graphql-js. */
export class CompiledExecution {
  /** How often the reference executor had to execute. */
  readonly fallBacks = {
    /** An operation that is not compiled. */
    notCompiled: 0,
    /** A compiled operation again, and it failed as well: most often the fault is the request's or the database's. */
    failed: 0,
    /** A compiled operation again, and it succeeded: the fault is in the compiled operation or in a resolver. */
    answered: 0,
  };
  readonly #logged = new WeakSet<Operation>();

  /**
   * The JSON text of the data.
   * @throws (in the promise) ExecutionFailed, and ReadAgain where it is not the last try
   */
  async execute(execution: OneExecution): Promise<string> {
    const { operation, variables, context, isLast } = execution;
    const { compiled } = operation;
    let failure: unknown;
    try {
      if (compiled) return await compiled(variables, context);
      this.fallBacks.notCompiled += 1;
    } catch (error) {
      if (!isLast) refuseVanished([error]);
      failure = error;
    }
    // After a compiled operation it meets the same failure in what the loaders remember, and reports it as the specification says.
    const contextValue = { ...context, rowCount: { ...context.rowCount, rows: 0 } };
    const given = Object.entries(variables.sources).map(([name, { value }]) => [name, value]);
    const variableValues = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const result = await executeReference({ ...operation.args, variableValues, contextValue }, isLast);
    if (compiled) this.#noteFailure(execution, failure, !result.errors);
    if (result.errors) throw failureOf(result, context.dependencies.late);
    return JSON.stringify(result.data);
  }

  /**
   * Counts a fall-back, and logs the first of each operation that the reference executor has answered.
   * @param error what the compiled operation threw
   */
  #noteFailure({ operation, log }: OneExecution, error: unknown, isAnswered: boolean): void {
    this.fallBacks[isAnswered ? 'answered' : 'failed'] += 1;
    if (!isAnswered || this.#logged.has(operation)) return;
    this.#logged.add(operation);
    const fields = { operation: operation.label, err: error };
    log().warn(fields, 'A compiled operation failed where the reference executor did not: it runs twice.');
  }
}
