import type { GraphQLSchema, VariableValues } from 'graphql';
import { bytesOf, type CachedResponse, createToBody } from '../cache/cached-response.ts';
import type { CacheHints } from '../cache/hints.ts';
import type { MakeBody, ResponseCache } from '../cache/response-cache.ts';
import { databaseUnavailable, withDeadline } from '../errors.ts';
import { stackless } from '../fast-path/stackless.ts';
import type { Executed } from '../http/route.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { Caller, CreateContext } from './context.ts';
import type { Documents } from './documents.ts';
import { createExecutor, type Executor } from './executor/execute.ts';
import { createMaskError, ExecutionFailed } from './failures.ts';
import { type CostReport, createCostLimit } from './limits/cost.ts';
import type { QueryLimits } from './limits/query-limits.ts';
import type { Operation } from './operation.ts';
import { isCoerced } from './variables.ts';
import { type CountViews, writePlaceholders } from './view-count.ts';

/** What a protocol makes of the JSON text of `data`. */
export interface BodyForm {
  /** Part of the cache key: bodies of different forms are different responses. */
  readonly name: string;
  /** @param cost of the operation, measured when it is called */
  readonly toBody: (data: string, cost: () => CostReport) => string;
  /** The body of a response with status 404, where the data says that there is nothing; undefined elsewhere. */
  readonly toAbsence?: (data: string) => string | undefined;
  /** Whether a response with errors has the data beside them. */
  readonly givesPartialData: boolean;
}

/** Runs the operations of both protocols. */
export interface Engine extends Pick<Executor, 'fallBacks'> {
  readonly documents: Documents;
  /**
   * Runs an operation, or finds its response in the cache: at once where nothing has to be read. Where a variable is wrong, and the caller need not wait
   * to be admitted, it throws at once.
   * @throws (or rejects with) AppError UNAUTHENTICATED
   * @throws ExecutionFailed for a result with errors
   */
  readonly run: (
    operation: Operation,
    variables: Record<string, unknown>,
    caller: Caller,
    form: BodyForm,
  ) => Executed | Promise<Executed>;
  /** Undefined where the variables do not fit. */
  readonly costOf: (operation: Operation, variables: Readonly<Record<string, unknown>>) => CostReport | undefined;
}

interface Deps {
  readonly schema: GraphQLSchema;
  readonly createContext: CreateContext;
  readonly responseCache: ResponseCache;
  readonly countViews: CountViews;
  readonly load: LoadGuard;
  readonly tracing: Tracing;
  /** How long a request waits for its response. */
  readonly timeoutMs: number;
  readonly documents: Documents;
  readonly limits: QueryLimits;
}

export const createEngine = (deps: Deps): Engine => {
  const { schema, documents, createContext, responseCache, countViews, load, tracing, timeoutMs, limits } = deps;
  const costLimit = createCostLimit(schema, limits.maxCost);
  const toBody = createToBody();
  const { execute, fallBacks } = createExecutor({ createContext, costLimit, load, tracing });

  const run: Engine['run'] = (operation, given, caller, form) => {
    const admission = caller.admit(operation.rootFields);
    return admission
      ? admission.then(() => runAdmitted(operation, given, caller, form))
      : runAdmitted(operation, given, caller, form);
  };

  const runAdmitted: Engine['run'] = (operation, given, caller, form) => {
    const variables = stackless(() => operation.coerce(given));
    if (!isCoerced(variables)) {
      const mask = createMaskError(caller.log);
      throw stackless(() => new ExecutionFailed(variables.map((error) => mask(error))));
    }
    return caller.observe(() => runWith(variables, operation, caller, form));
  };

  const runWith = (
    variables: VariableValues,
    operation: Operation,
    caller: Caller,
    form: BodyForm,
  ): Executed | Promise<Executed> => {
    // Coerced variables come in the order of their definitions, so that equal ones have equal texts.
    const key = `${form.name} ${operation.id} ${JSON.stringify(variables.coerced)}`;
    const toText = (data: string, hints: CacheHints): string => {
      const absence = form.toAbsence?.(data);
      if (absence === undefined) return form.toBody(data, () => costLimit.report(operation.cost, variables));
      hints.status = 404;
      return absence;
    };
    const make: MakeBody = (hints) => {
      const data = execute({ operation, variables, caller, hints });
      return typeof data === 'string' ? toText(data, hints) : data.then((text) => toText(text, hints));
    };

    const isPreview = caller.previewAt !== undefined;
    if (!operation.isCounted && !isPreview) return responseCache.get(key, make);
    return caller.countViews && !isPreview
      ? withDeadline(runCounted(operation, variables, key, make, form.givesPartialData), timeoutMs)
      : withDeadline(runApart(make), timeoutMs);
  };

  /** Beside the cache. */
  const runApart = async (make: MakeBody): Promise<Executed> => {
    const hints = responseCache.createHints();
    const body = await make(hints);
    return { status: hints.status, body, encoding: 'utf8' };
  };

  /** Executes first, with placeholders for the view counts, then counts: an operation that fails counts nothing. */
  const runCounted = async (
    operation: Operation,
    variables: VariableValues,
    key: string,
    make: MakeBody,
    givesPartialData: boolean,
  ): Promise<Executed> => {
    const untilMs = performance.now() + timeoutMs;
    const counted = new Map<number, number>();
    const count = (response: Pick<CachedResponse, 'body' | 'views'>): Promise<string | undefined> => {
      // No one waits for the response any more.
      if (performance.now() >= untilMs) throw databaseUnavailable();
      return countViews(response, counted);
    };
    const makeCounted: MakeBody = (hints) => {
      hints.countsViews = true;
      return make(hints);
    };
    const withdrawn = () => databaseUnavailable(new Error('a notice was withdrawn while it was read'));

    try {
      const { answer: template, outcome } = await responseCache.get(key, makeCounted);
      if (template.status === 404 && outcome !== 'stale') return { answer: template, outcome };
      // Where a view can be counted, the notice can be read too: a detail is never stale.
      const body = outcome === 'stale' ? undefined : await count(template);
      if (body !== undefined) return { status: 200, body, encoding: 'latin1', template };
      // A notice that has been withdrawn meanwhile is missing when it is read again.
      const hints = responseCache.createHints();
      const again = await count({ ...toBody(await makeCounted(hints)), views: hints.views });
      if (again === undefined) throw withdrawn();
      return { status: hints.status, body: again, encoding: 'latin1' };
    } catch (error) {
      if (!(error instanceof ExecutionFailed) || !error.data || !givesPartialData) throw error;
      const views = operation.countedIn(error.data, variables);
      const filled = await count({ ...toBody(writePlaceholders(error.data, views)), views });
      if (filled === undefined) throw withdrawn();
      throw new ExecutionFailed(error.errors, JSON.parse(bytesOf(filled).toString()));
    }
  };

  return {
    documents,
    run,
    costOf: ({ cost, coerce }, variables) => {
      const coerced = coerce(variables);
      return isCoerced(coerced) ? costLimit.report(cost, coerced) : undefined;
    },
    fallBacks,
  };
};
