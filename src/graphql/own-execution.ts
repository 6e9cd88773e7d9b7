import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Found } from '../cache/response-cache.ts';
import { withDeadline } from '../deadline.ts';
import type { Call } from '../http/route.ts';
import type { Changes, OperationContext } from './context.ts';
import { type Asked, Execution } from './execution.ts';
import { executeReference } from './executor/compiled-execution.ts';
import { failedResult, failureOf, untilRowsFit } from './failures.ts';
import { fillData } from './late-values.ts';
import type { Caller, GatewayPlugin, ServerContext } from './server-context.ts';

type OwnContext = ServerContext & OperationContext;

/**
 * Executes each operation for its own caller, by graphql-js and beside memory, because plugins of the operator may tell callers apart. The
 * context is one object, from `onContextBuilding` to the resolvers.
 */
export class OwnExecution extends Execution {
  #keys = 0;

  readonly plugin: GatewayPlugin = {
    onContextBuilding: ({ context, extendContext }) => {
      extendContext(this.#begin(context.call) as object);
    },
    onExecute: ({ args, setExecuteFn }) => {
      setExecuteFn(this.executorOf(args));
      return { onExecuteDone: ({ result }) => this.#fill(args, result as ExecutionResult) };
    },
  };

  async once(asked: Asked): Promise<ExecutionResult> {
    const { call } = asked.args.contextValue as OwnContext;
    const executing = this.withinLoad(asked.operation, call, () => this.#tryAll(asked));
    return withDeadline(executing, this.deps.timeoutMs);
  }

  respond(asked: Asked, caller: Caller, changes?: Changes): Promise<Found> {
    const { args, language, form } = asked;
    const { createContext, responseCache } = this.deps;
    return responseCache.makeApart(this.keyOf(), async (dependencies) => {
      Object.assign(args.contextValue as OwnContext, createContext(dependencies, caller.previewAt, language), {
        changes,
      });
      const result = await this.once(asked);
      if (result.errors) throw failureOf(result);
      return form.toBody(JSON.stringify(result.data)).body;
    });
  }

  /** A new one each time: no two callers share a topic, and nothing is found by it. */
  keyOf(): string {
    this.#keys += 1;
    return `own ${this.#keys}`;
  }

  /** The language that the document names is not known yet: where it is another one, the operation begins again as where reads do not fit. */
  #begin({ takesLate, previewAt, language }: Call): OperationContext {
    const dependencies = this.deps.responseCache.createDependencies(performance.now());
    dependencies.takesLate = takesLate;
    return this.deps.createContext(dependencies, previewAt, language.language);
  }

  async #tryAll({ args, operation, language }: Asked): Promise<ExecutionResult> {
    const { createContext } = this.deps;
    const context = args.contextValue as OwnContext;
    const { dependencies, call } = context;
    const result = await untilRowsFit(dependencies, (isLast) => {
      const isOver = context.language !== language || dependencies.asOfMs === undefined;
      if (isOver) Object.assign(context, createContext(dependencies, call.previewAt, language));
      return createContext.during(context, () => executeReference({ ...args, ...operation.args }, isLast));
    });
    return result.errors ? failedResult(failureOf(result)) : result;
  }

  /** Takes late values after the operation, also where a plugin has executed it. */
  async #fill(args: ExecutionArgs, result: ExecutionResult): Promise<void> {
    const { late } = (args.contextValue as OwnContext).dependencies;
    if (late.size > 0 && result.data) Object.assign(result.data, await fillData(this.ask(args), result, late));
  }
}
