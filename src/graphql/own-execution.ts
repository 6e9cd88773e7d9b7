import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Dependencies } from '../cache/dependencies.ts';
import type { Found } from '../cache/response-cache.ts';
import { withDeadline } from '../deadline.ts';
import type { Changes, OperationContext } from './context.ts';
import { Execution, type OperationRequest } from './execution.ts';
import { executeReference } from './executor/compiled-execution.ts';
import { untilRowsFit } from './executor/read-again.ts';
import { failedResult, failureOf } from './failures.ts';
import { fillData } from './late-values.ts';
import type { Caller, GatewayPlugin, ServerContext } from './server-context.ts';

const contextOf = ({ contextValue }: ExecutionArgs) => contextValue as ServerContext & OperationContext;

/**
 * Executes each operation for its own caller, by graphql-js and beside memory, because plugins of the operator may tell callers apart. The
 * context is one object, from `onContextBuilding` to the resolvers.
 */
export class OwnExecution extends Execution {
  #keys = 0;

  readonly plugin: GatewayPlugin = {
    onContextBuilding: ({ context: { call }, extendContext }) => {
      const dependencies = this.deps.responseCache.createDependencies(performance.now());
      dependencies.takesLate = call.takesLate;
      // The language that the document names is not known yet.
      extendContext(this.deps.createContext(dependencies, call.previewAt, call.language.language) as object);
    },
    onExecute: ({ args, setExecuteFn }) => {
      setExecuteFn(this.executorOf(args));
      return { onExecuteDone: ({ result }) => this.#fill(args, result as ExecutionResult) };
    },
  };

  once(request: OperationRequest): Promise<ExecutionResult> {
    return this.#execute(request, contextOf(request.args).dependencies);
  }

  respond(request: OperationRequest, _: Caller, changes?: Changes): Promise<Found> {
    return this.deps.responseCache.makeApart(this.keyOf(), async (dependencies) => {
      const result = await this.#execute(request, dependencies, changes);
      if (result.errors) throw failureOf(result);
      return request.form.toBody(JSON.stringify(result.data)).body;
    });
  }

  /** A new one each time: no two callers share a topic, and nothing is found by it. */
  keyOf(): string {
    this.#keys += 1;
    return `own ${this.#keys}`;
  }

  async #execute(request: OperationRequest, dependencies: Dependencies, changes?: Changes): Promise<ExecutionResult> {
    const { createContext, timeoutMs } = this.deps;
    const { args, operation, language } = request;
    const context = contextOf(args);
    const { call } = context;
    const tryOnce = (isLast: boolean): Promise<ExecutionResult> => {
      // It begins again in another language, for another event, and where the reads did not fit.
      const isBegun = context.language === language && context.dependencies === dependencies;
      if (!isBegun || dependencies.asOfMs === undefined)
        Object.assign(context, createContext(dependencies, call.previewAt, language), { changes });
      return createContext.during(context, () => executeReference({ ...args, ...operation.args }, isLast));
    };
    const executing = this.withinLoad(operation, call, () => untilRowsFit(dependencies, tryOnce));
    const result = await withDeadline(executing, timeoutMs);
    return result.errors ? failedResult(failureOf(result)) : result;
  }

  /** Takes late values after the operation, also where a plugin has executed it. */
  async #fill(args: ExecutionArgs, result: ExecutionResult): Promise<void> {
    const { late } = contextOf(args).dependencies;
    if (late.size > 0 && result.data) Object.assign(result.data, await fillData(this.readRequest(args), result, late));
  }
}
