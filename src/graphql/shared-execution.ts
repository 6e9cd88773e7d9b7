import type { ExecutionResult } from 'graphql';
import { toBody } from '../cache/cached-response.ts';
import type { Dependencies } from '../cache/dependencies.ts';
import type { Executed, Found, MakeBody } from '../cache/response-cache.ts';
import { withDeadline } from '../deadline.ts';
import type { Changes } from './context.ts';
import { type Asked, Execution, type ExecutionDeps } from './execution.ts';
import type { CompiledExecution } from './executor/compiled-execution.ts';
import { failedResult, untilRowsFit } from './failures.ts';
import { answerLate } from './late-values.ts';
import type { Caller, GatewayPlugin, ServerContext } from './server-context.ts';
import type { Answers } from './use-result-writer.ts';

/** Executes equal operations once for all callers, compiled, or finds the response in the cache. */
export class SharedExecution extends Execution {
  readonly #compiled: CompiledExecution;
  readonly #answers: Answers;

  constructor(deps: ExecutionDeps, compiled: CompiledExecution, answers: Answers) {
    super(deps);
    this.#compiled = compiled;
    this.#answers = answers;
  }

  readonly plugin: GatewayPlugin = {
    onExecute: ({ args, setExecuteFn }) => setExecuteFn(this.executorOf(args)),
  };

  async once(asked: Asked): Promise<ExecutionResult> {
    try {
      return this.#answers.resultOf(await this.#run(asked, callerOf(asked)), asked.form);
    } catch (error) {
      return failedResult(error);
    }
  }

  respond(asked: Asked, caller: Caller, changes?: Changes): Promise<Found> {
    const { responseCache } = this.deps;
    const make = this.#maker(asked, caller, changes);
    const key = this.keyOf(asked);
    return changes ? responseCache.makeApart(key, make) : responseCache.get(key, make);
  }

  keyOf({ operation, variables, language, form }: Asked): string {
    const topic = `${form.name} ${operation.id} ${operation.textOf(variables)}`;
    return language.isDefault ? topic : `${topic} ${language.code}`;
  }

  #run(asked: Asked, caller: Caller): Promise<Executed> {
    const { responseCache, timeoutMs } = this.deps;
    const { isLate } = asked.operation;
    const make = this.#maker(asked, caller);
    const makeApart = () => this.#makeApart(make);
    // For another time, or without the late values that others take.
    const isApart = caller.previewAt !== undefined || (isLate && !caller.takesLate);
    if (isApart) return withDeadline(makeApart(), timeoutMs);
    const find = () => responseCache.get(this.keyOf(asked), make);
    return isLate ? withDeadline(answerLate(asked, find, makeApart, timeoutMs), timeoutMs) : find();
  }

  /** Makes a response for one request, of what the database has now. */
  async #makeApart(make: MakeBody) {
    const dependencies = this.deps.responseCache.createDependencies();
    const { body } = toBody(await make(dependencies));
    return { status: dependencies.status, body, late: [...dependencies.late.values()] };
  }

  #maker(asked: Asked, caller: Caller, changes?: Changes): MakeBody {
    const { operation, form } = asked;
    return async (dependencies) => {
      if (operation.isOfSchema) dependencies.addNothing();
      dependencies.takesLate = operation.isLate && caller.takesLate;
      const data = await this.withinLoad(operation, caller, () => this.#execute(asked, caller, dependencies, changes));
      const { body, status } = form.toBody(data);
      dependencies.status = status;
      return body;
    };
  }

  /** The JSON text of the data. */
  async #execute(asked: Asked, caller: Caller, dependencies: Dependencies, changes?: Changes): Promise<string> {
    const { createContext } = this.deps;
    const { args, operation, variables, language } = asked;
    return untilRowsFit(dependencies, async (isLast) => {
      // Resolvers find in the context what plugins have put there.
      const context = {
        ...(args.contextValue as object),
        ...createContext(dependencies, caller.previewAt, language),
        ...(changes && { changes }),
      };
      return createContext.during(context, () =>
        this.#compiled.execute({ operation, variables, context, isLast, log: caller.log }),
      );
    });
  }
}

const callerOf = ({ args }: Asked): Caller => (args.contextValue as ServerContext).call;
