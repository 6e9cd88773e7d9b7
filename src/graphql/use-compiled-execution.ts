import { type ExecutionArgs, type ExecutionResult, executeRootSelectionSet, type GraphQLError } from 'graphql';
import { RowVanished } from '../database/failures.ts';
import type { LazyLog } from '../observability/log.ts';
import type { GatewayPlugin, OperationContext } from './context.ts';
import { rootCause } from './mask-error.ts';
import type { Operation } from './operation.ts';
import { writePlaceholders } from './view-count.ts';

/** With what `createOperationRunner` adds. */
export interface ExecutionContext extends OperationContext {
  readonly execution: Execution;
}

/** One execution of an operation, whose variables are coerced already. */
export interface Execution {
  readonly operation: Operation;
  readonly variables: Parameters<Operation['executionArgs']>[0];
  /** Whether a row that vanishes while it is executed is an error, because it was executed before. */
  readonly isLast: boolean;
  readonly log: LazyLog;
}

/** How often the reference executor had to execute. */
export interface FallBackCounts {
  /** An operation that is not compiled. */
  notCompiled: number;
  /** A compiled operation again, and it failed as well: most often the fault is the request's or the database's. */
  failed: number;
  /** A compiled operation again, and it succeeded: the fault is in the compiled operation or in a resolver. */
  answered: number;
}

/** The result of an execution, as JSON text of its data. With `countsViews` it has placeholders for view counts. */
export interface DataText {
  readonly json: string;
}

/** @throws RowVanished where it is not the last try */
export type Execute = (args: ExecutionArgs) => DataText | ExecutionResult | Promise<DataText | ExecutionResult>;

export type CompiledExecution = ReturnType<typeof createCompiledExecution>;

/** Executes compiled operations; what is not compiled, and what fails, is executed by graphql-js. */
export const createCompiledExecution = () => {
  const counts: FallBackCounts = { notCompiled: 0, failed: 0, answered: 0 };
  const logged = new WeakSet<Operation>();

  /** Counts a fall-back, and logs the first of each operation that the reference executor has answered. @param error what the compiled operation threw */
  const noteFailure = ({ operation, log }: Execution, error: unknown, isAnswered: boolean): void => {
    counts[isAnswered ? 'answered' : 'failed'] += 1;
    if (!isAnswered || logged.has(operation)) return;
    logged.add(operation);
    const fields = { operation: operation.label, err: error };
    log().warn(fields, 'A compiled operation failed where the reference executor did not: it runs twice.');
  };

  /**
   * Of a compiled operation that has failed, the reference executor meets the same failure in what the loaders remember, and reports it as the specification says.
   * @param failed how it failed
   */
  const executeReference = async (
    { execution, ...context }: ExecutionContext,
    failed?: { readonly error: unknown },
  ): Promise<DataText | ExecutionResult> => {
    const { operation, variables, isLast } = execution;
    const contextValue = { ...context, rowCount: { ...context.rowCount, rows: 0 } };
    const { data, errors } = await executeRootSelectionSet({ ...operation.executionArgs(variables), contextValue });
    const vanished = isLast ? undefined : errors?.find(isOfVanishedRow);
    if (vanished) throw new RowVanished(vanished.message, { cause: vanished });
    if (failed) noteFailure(execution, failed.error, !errors);
    return errors
      ? { errors, ...(data === undefined ? {} : { data }) }
      : { json: writePlaceholders(data, context.hints.views) };
  };

  return {
    fallBacks: counts as Readonly<FallBackCounts>,
    execute: (({ contextValue }) => {
      const context = contextValue as ExecutionContext;
      const { operation, variables } = context.execution;
      const { compiled } = operation;
      if (!compiled) {
        counts.notCompiled += 1;
        return executeReference(context);
      }
      try {
        const json = compiled(variables, context);
        if (typeof json === 'string') return { json };
        return json.then(
          (text) => ({ json: text }),
          (error) => executeReference(context, { error }),
        );
      } catch (error) {
        return executeReference(context, { error });
      }
    }) satisfies Execute,
  };
};

/**
 * Codes of reads that may succeed when they are repeated: PostgreSQL has given the read up to end a deadlock, as with a TRUNCATE of several tables:
 * https://www.prisma.io/docs/orm/reference/error-reference, https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const OVERTAKEN: ReadonlySet<unknown> = new Set(['P2034', '40P01']);

const isOfVanishedRow = (error: GraphQLError): boolean => {
  const cause = rootCause(error);
  return cause instanceof RowVanished || OVERTAKEN.has((cause as { code?: unknown }).code);
};

/** Without it, operations are executed by Yoga's own executor. */
export const useCompiledExecution = ({ execute }: CompiledExecution): GatewayPlugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute as Parameters<typeof setExecuteFn>[0]),
});
