import {
  type ExecutionArgs,
  type ExecutionResult,
  executeRootSelectionSet,
  type VariableValues,
  validateExecutionArgs,
} from 'graphql';
import type { Observer } from '../../observability/observer.ts';
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
}

/**
 * Executes a compiled operation. One that is not compiled, or fails, is executed by graphql-js.
 * @returns the JSON text of the data
 * @throws (in the promise) ExecutionFailed, and ReadAgain where it is not the last try
 */
export const executeCompiled = async (
  { operation, variables, context, isLast }: OneExecution,
  observer: Pick<Observer, 'fallBack'>,
): Promise<string> => {
  const { compiled } = operation;
  let failure: unknown;
  try {
    if (compiled) return await compiled(variables, context);
  } catch (error) {
    if (!isLast) refuseVanished([error]);
    failure = error;
  }
  // After a compiled operation it meets the same failure in what the loaders remember, and reports it as the specification says.
  const contextValue = { ...context, rowCount: { ...context.rowCount, rows: 0 } };
  const given = Object.entries(variables.sources).map(([name, { value }]) => [name, value]);
  const variableValues = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const result = await executeReference({ ...operation.args, variableValues, contextValue }, isLast);
  observer.fallBack(compiled ? (result.errors ? 'failed' : 'answered') : 'notCompiled', operation, failure);
  if (result.errors) throw failureOf(result, context.dependencies.late);
  return JSON.stringify(result.data);
};
