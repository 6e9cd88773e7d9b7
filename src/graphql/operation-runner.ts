import type { ExecutionResult, GraphQLError, VariableValues } from 'graphql';
import { bytesOf, type CachedResponse, toBody } from '../cache/cached-response.ts';
import type { CacheHints } from '../cache/hints.ts';
import type { FailureKind, MakeBody, ResponseCache } from '../cache/response-cache.ts';
import { isDatabaseUnavailable, isDatabaseUnreachable, RowVanished } from '../database/failures.ts';
import { withDeadline } from '../deadline.ts';
import { AppError, databaseUnavailable, Overloaded } from '../errors.ts';
import type { Executed } from '../http/route.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { BodyForm } from './body-form.ts';
import type { Caller, CreateContext } from './context.ts';
import type { CostLimit } from './limits/cost.ts';
import { rootCause } from './mask-error.ts';
import type { Operation } from './operation.ts';
import type { DataText, Execution, ExecutionContext } from './use-compiled-execution.ts';
import { type CountViews, writePlaceholders } from './view-count.ts';

/** An operation whose result has errors, and what there is beside them. */
export class ExecutionFailed extends Error {
  override readonly name = 'ExecutionFailed';
  readonly errors: readonly GraphQLError[];
  readonly data: ExecutionResult['data'];
  readonly extensions: ExecutionResult['extensions'];

  constructor(
    errors: readonly GraphQLError[],
    data?: ExecutionResult['data'],
    extensions?: ExecutionResult['extensions'],
  ) {
    super(errors[0]?.message);
    this.errors = errors;
    this.data = data;
    this.extensions = extensions;
  }
}

/** What an operation is run with, by GraphQL or REST. */
export interface Run {
  readonly operation: Operation;
  /** As the request gives them. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly form: BodyForm;
  /** Whether the result is for this run alone, beside the cache. @default false */
  readonly isApart?: boolean;
  readonly execute: (context: ExecutionContext) => DataText | ExecutionResult | Promise<DataText | ExecutionResult>;
}

/**
 * Runs an operation, or finds its response in the cache: at once where nothing has to be read.
 * @throws (or rejects with) ExecutionFailed for a result with errors, AppError QUERY_TOO_COMPLEX, Overloaded
 */
export type RunOperation = (run: Run) => Executed | Promise<Executed>;

interface Deps {
  readonly createContext: CreateContext;
  readonly responseCache: ResponseCache;
  readonly costLimit: CostLimit;
  readonly countViews: CountViews;
  readonly load: LoadGuard;
  readonly tracing: Tracing;
  /** How long a request waits for its response. */
  readonly timeoutMs: number;
}

/** While rows change all the time, the rows of two statements may not fit together twice in a row. */
const MAX_TRIES = 3;

/** The only place where operations are executed. */
export const createOperationRunner = (deps: Deps): RunOperation => {
  const { createContext, responseCache, costLimit, countViews, load, tracing, timeoutMs } = deps;

  /** The JSON text of the data. @throws RowVanished on all tries but the last */
  const tryOnce = async (
    { operation, caller, form, execute }: Run,
    variables: VariableValues,
    hints: CacheHints,
    isLast: boolean,
  ): Promise<string> => {
    const { log } = caller;
    const execution: Execution = { operation, variables, isLast, log };
    const context = { ...createContext(hints, caller.previewAt), execution };
    const result = await createContext.during(context, () => execute(context));
    if ('json' in result) return result.json;
    const { data, errors } = result;
    if (!errors?.length) return writePlaceholders(data, hints.views);
    // An operation that turns out to be too complex is refused as a whole: a 400 has no data.
    const refusal = errors.find((error) => codeOf(rootCause(error)) === 'QUERY_TOO_COMPLEX');
    if (refusal) throw new ExecutionFailed([refusal]);
    const extensions = form.hasExtensions ? { cost: costLimit.report(operation.cost, variables) } : undefined;
    throw new ExecutionFailed(errors, data, extensions);
  };

  const executeOnce = async (run: Run, variables: VariableValues, hints: CacheHints): Promise<string> => {
    const { cost, isOfSchema } = run.operation;
    costLimit.check(cost, variables);
    if (isOfSchema) hints.dependsOnNothing();
    for (let tries = 1; ; tries += 1) {
      try {
        return await tryOnce(run, variables, hints, tries === MAX_TRIES);
      } catch (error) {
        if (!(error instanceof RowVanished) || tries === MAX_TRIES) throw error;
        // The row that referred to it has changed as well, and is read again.
        hints.views.clear();
        // From the database alone: a row that is known may be older than the one that refers to it.
        hints.asOfMs = undefined;
      }
    }
  };

  // https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/
  const traced = (run: Run, work: () => Promise<string>): Promise<string> => {
    if (!tracing.isOn) return work();
    const { label, isSubscription } = run.operation;
    const type = isSubscription ? 'subscription' : 'query';
    return tracing.span(type, { 'graphql.operation.type': type, 'graphql.operation.name': label }, work);
  };

  // Views wait in a queue with bounds of its own.
  const guarded = (run: Run, work: () => Promise<string>): Promise<string> =>
    run.operation.isOnlyCounted && run.caller.countViews ? traced(run, work) : load.during(() => traced(run, work));

  const runApart = async (make: MakeBody): Promise<Executed> => {
    const hints = responseCache.createHints();
    const body = await make(hints);
    return { status: hints.status, body, encoding: 'utf8' };
  };

  /** Executes first, with placeholders for the view counts, then counts: an operation that fails counts nothing. */
  const runCounted = async (
    { operation, form }: Run,
    variables: VariableValues,
    key: string,
    make: MakeBody,
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
      const again = await count({ ...toBody(await makeCounted(hints)), views: [...hints.views] });
      if (again === undefined) throw withdrawn();
      return { status: hints.status, body: again, encoding: 'latin1' };
    } catch (error) {
      if (!(error instanceof ExecutionFailed) || !error.data || !form.givesPartialData) throw error;
      const views = operation.countedIn(error.data, variables);
      const filled = await count({ ...toBody(writePlaceholders(error.data, views)), views });
      if (filled === undefined) throw withdrawn();
      throw new ExecutionFailed(error.errors, JSON.parse(bytesOf(filled).toString()), error.extensions);
    }
  };

  return (run) => {
    const { operation, given, caller, form } = run;
    const { errors, variableValues: variables } = operation.coerce(given);
    if (errors) throw new ExecutionFailed(errors);
    // Coerced variables come in the order of their definitions, so that equal ones have equal texts.
    const key = `${form.name} ${operation.id} ${JSON.stringify(variables.coerced)}`;
    const make: MakeBody = async (hints) => {
      const data = await guarded(run, () => executeOnce(run, variables, hints));
      const absence = form.toAbsence?.(data);
      if (absence === undefined) return form.toBody(data, () => costLimit.report(operation.cost, variables));
      hints.status = 404;
      return absence;
    };
    const isApart = run.isApart === true || caller.previewAt !== undefined;
    if (!operation.isCounted && !isApart) return responseCache.get(key, make);
    const running = caller.countViews && !isApart ? runCounted(run, variables, key, make) : runApart(make);
    return withDeadline(running, timeoutMs);
  };
};

const codeOf = (error: unknown): string | undefined => (error instanceof AppError ? error.code : undefined);

/** What a failure of an operation says of the database. */
export const failureKindOf = (error: unknown): FailureKind => {
  const causes = error instanceof ExecutionFailed ? error.errors.map(rootCause) : [error];
  if (causes.some((cause) => cause instanceof Overloaded)) return 'overload';
  const failures = causes.filter(
    (cause) => isDatabaseUnavailable(cause) || (cause instanceof AppError && cause.code === 'SERVICE_UNAVAILABLE'),
  );
  if (failures.length === 0) return 'other';
  return failures.some(isDatabaseUnreachable) ? 'unreachable' : 'unanswered';
};
