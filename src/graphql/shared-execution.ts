import type { ExecutionResult } from 'graphql';
import { bytesOf, type CachedResponse, fillLate, toBody } from '../cache/cached-response.ts';
import type { Dependencies } from '../cache/dependencies.ts';
import { writeLate } from '../cache/late-value.ts';
import type { Executed, Found, MakeBody } from '../cache/response-cache.ts';
import { withDeadline } from '../deadline.ts';
import { databaseUnavailable } from '../errors.ts';
import type { Changes } from './context.ts';
import { type Asked, Execution, type ExecutionDeps } from './execution.ts';
import type { CompiledExecution } from './executor/compiled-execution.ts';
import { ExecutionFailed, failedResult, untilRowsFit } from './failures.ts';
import { type Caller, type GatewayPlugin, GRAPHQL_BODY, type ServerContext } from './server-context.ts';
import type { Answers } from './use-result-writer.ts';

/**
 * Executes equal operations once for all callers, compiled, or finds the response in the cache. Late values are taken after that, so that an
 * operation that fails takes none.
 */
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
    const isApart = caller.previewAt !== undefined;
    const make = this.#maker(asked, caller);
    if (isApart || (asked.operation.isLate && !caller.takesLate)) return withDeadline(this.#runApart(make), timeoutMs);
    if (asked.operation.isLate) return withDeadline(this.#runLate(asked, make), timeoutMs);
    return responseCache.get(this.keyOf(asked), make);
  }

  async #runApart(make: MakeBody): Promise<Executed> {
    const dependencies = this.deps.responseCache.createDependencies();
    const { body } = toBody(await make(dependencies));
    return { status: dependencies.status, body };
  }

  async #runLate(asked: Asked, make: MakeBody): Promise<Executed> {
    const { responseCache, timeoutMs } = this.deps;
    const untilMs = performance.now() + timeoutMs;
    const taken = new Map<string, number>();
    const fill = (response: Pick<CachedResponse, 'body' | 'late'>): Promise<string | undefined> => {
      // No one waits for the response any more.
      if (performance.now() >= untilMs) throw databaseUnavailable();
      return fillLate(response, taken);
    };
    const makeLate: MakeBody = (dependencies) => {
      dependencies.takesLate = true;
      return make(dependencies);
    };
    try {
      const { answer: template, outcome } = await responseCache.get(this.keyOf(asked), makeLate);
      if (template.status === 404 && outcome !== 'stale') return { answer: template, outcome };
      // Where a late value can be taken, its row can be read too: it is never stale.
      const body = outcome === 'stale' ? undefined : await fill(template);
      if (body !== undefined) return { status: 200, body, template };
      // What has been withdrawn meanwhile is missing when it is read again.
      const dependencies = responseCache.createDependencies();
      const again = await fill({ ...toBody(await makeLate(dependencies)), late: [...dependencies.late.values()] });
      if (again === undefined) throw withdrawn();
      return { status: dependencies.status, body: again };
    } catch (error) {
      if (!(error instanceof ExecutionFailed) || !error.data || asked.form !== GRAPHQL_BODY) throw error;
      const keys = new Set(asked.operation.lateIn(error.data, asked.variables).values());
      const late = error.late.filter(({ key }) => keys.has(key));
      const filled = await fill({ ...toBody(writeLate(error.data, late)), late });
      if (filled === undefined) throw withdrawn();
      throw new ExecutionFailed(error.errors, JSON.parse(bytesOf(filled).toString()));
    }
  }

  #maker(asked: Asked, caller: Caller, changes?: Changes): MakeBody {
    const { operation, form } = asked;
    return async (dependencies) => {
      if (operation.isOfSchema) dependencies.addNothing();
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

const withdrawn = () => databaseUnavailable(new Error('a row was withdrawn while it was read'));
