import type { ExecutionResult } from 'graphql';
import { toBody } from '../cache/cached-response.ts';
import type { Answer, Found, MakeBody } from '../cache/response-cache.ts';
import { withDeadline } from '../deadline.ts';
import type { Changes } from './context.ts';
import { Execution, type ExecutionDeps, type OperationRequest } from './execution.ts';
import { executeCompiled } from './executor/compiled-execution.ts';
import { untilRowsFit } from './executor/read-again.ts';
import { failedResult } from './failures.ts';
import { answerLate } from './late-values.ts';
import type { Caller, GatewayPlugin, ServerContext } from './server-context.ts';
import { TokenResult } from './use-result-writer.ts';

/** Executes equal operations once for all callers, compiled, or finds the response in the cache. */
export class SharedExecution extends Execution {
  readonly #areResultsRead: boolean;

  /** @param areResultsRead whether plugins of the operator read results */
  constructor(deps: ExecutionDeps, areResultsRead: boolean) {
    super(deps);
    this.#areResultsRead = areResultsRead;
  }

  readonly plugin: GatewayPlugin = {
    onExecute: ({ args, setExecuteFn }) => setExecuteFn(this.executorOf(args)),
  };

  async once(request: OperationRequest): Promise<ExecutionResult> {
    try {
      const answer = await this.#run(request, callerOf(request));
      return new TokenResult(answer, this.#areResultsRead ? request.form : undefined);
    } catch (error) {
      return failedResult(error);
    }
  }

  respond(request: OperationRequest, caller: Caller, changes?: Changes): Promise<Found> {
    const { responseCache } = this.deps;
    const make = this.#maker(request, caller, { changes });
    const key = this.keyOf(request);
    return changes ? responseCache.makeApart(key, make) : responseCache.get(key, make);
  }

  keyOf({ operation, variables, language, form }: OperationRequest): string {
    const topic = `${form.name} ${operation.id} ${operation.textOf(variables)}`;
    return language.isDefault ? topic : `${topic} ${language.code}`;
  }

  #run(request: OperationRequest, caller: Caller): Promise<Answer> {
    const { responseCache, timeoutMs } = this.deps;
    const { isLate } = request.operation;
    const make = this.#maker(request, caller, { takesLate: isLate && caller.takesLate });
    const makeApart = () => this.#makeApart(make);
    // For another time, or without the late values that others take.
    const isApart = caller.previewAt !== undefined || (isLate && !caller.takesLate);
    if (isApart) return withDeadline(makeApart(), timeoutMs);
    const find = () => responseCache.get(this.keyOf(request), make);
    return isLate ? withDeadline(answerLate(request, find, makeApart, timeoutMs), timeoutMs) : find();
  }

  /** Makes a response for one request, of what the database has now. */
  async #makeApart(make: MakeBody) {
    const dependencies = this.deps.responseCache.createDependencies();
    const { body } = toBody(await make(dependencies));
    return { status: dependencies.status, body, late: [...dependencies.late.values()] };
  }

  /** @param options events take no late values: nobody fills them in */
  #maker(request: OperationRequest, caller: Caller, options: MakeOptions): MakeBody {
    const { createContext, observer } = this.deps;
    const { args, operation, variables, language, form } = request;
    const { changes, takesLate = false } = options;
    return async (dependencies) => {
      if (operation.isOfSchema) dependencies.addNothing();
      dependencies.takesLate = takesLate;
      const tryOnce = (isLast: boolean): Promise<string> => {
        // Resolvers find in the context what plugins have put there.
        const context = {
          ...(args.contextValue as object),
          ...createContext(dependencies, caller.previewAt, language),
          ...(changes && { changes }),
        };
        const execution = { operation, variables, context, isLast };
        return createContext.during(context, () => executeCompiled(execution, observer));
      };
      const data = await this.withinLoad(operation, caller, () => untilRowsFit(dependencies, tryOnce));
      const { body, status } = form.toBody(data);
      dependencies.status = status;
      return body;
    };
  }
}

interface MakeOptions {
  readonly changes?: Changes | undefined;
  readonly takesLate?: boolean;
}

const callerOf = ({ args }: OperationRequest): Caller => (args.contextValue as ServerContext).call;
