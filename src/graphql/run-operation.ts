import {
  type DocumentNode,
  executeRootSelectionSet,
  type GraphQLError,
  type GraphQLSchema,
  type VariableValues,
} from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { CacheHints } from '../cache/hints.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import { bytesOf, type CachedResponse, latin1Of, toBody as toAnswerBody } from '../cache/response-store.ts';
import { databaseUnavailable, withDeadline } from '../errors.ts';
import type { Executed } from '../http/route.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import { type Caller, type CreateContext, type OperationContext, RowVanished, type Views } from './context.ts';
import { createDocuments, type Documents } from './documents.ts';
import { createFallBacks, type FallBackCounts } from './executor/fall-backs.ts';
import { fillPlaceholders, writeSlots } from './executor/placeholder.ts';
import { createMaskError } from './failures.ts';
import { type CostReport, createCostLimit } from './limits/cost.ts';
import type { QueryLimits } from './limits/query-limits.ts';
import { isCoerced, type Operation, prepareOperation } from './operation.ts';
import { useErrorRecord, useFailed, type YogaCall } from './yoga.ts';

/** An operation whose result has errors: masked, and with them what data there is. */
export class ExecutionFailed extends Error {
  override readonly name = 'ExecutionFailed';
  readonly data: Record<string, unknown> | null | undefined;
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[], data?: Record<string, unknown> | null) {
    super(errors[0]?.message);
    this.errors = errors;
    this.data = data;
  }
}

/** What a door makes of the JSON text of `data`, under a name that tells its bodies from the other door's. */
export interface BodyForm {
  readonly name: string;
  readonly toBody: (data: string) => string;
  /** What the body has beside `data`: a result with errors has it too. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Whether what data there is beside errors is answered with them. */
  readonly givesPartialData: boolean;
}

type Yoga = YogaServerInstance<YogaCall, Record<never, never>>;

export interface Engine {
  /**
   * Makes the responses to GraphQL requests that failed: https://graphql.github.io/graphql-over-http/draft/
   * It is loaded when it is first asked for: it is half of all that there is to load.
   */
  readonly yoga: () => Promise<Yoga>;
  readonly checkDocument: Documents['check'];
  /** Undefined where the name picks no operation of a valid document. */
  readonly prepare: (document: DocumentNode, name?: string | null) => Operation | undefined;
  /**
   * Runs an operation for either door, or finds its answer in memory.
   * @throws AppError UNAUTHENTICATED
   * @throws ExecutionFailed for a result with errors
   */
  readonly answer: (
    operation: Operation,
    variables: Record<string, unknown>,
    caller: Caller,
    form: BodyForm,
  ) => Promise<Executed>;
  readonly giveViewed: GiveViewed;
  /** Undefined where the variables do not fit. */
  readonly costOf: (operation: Operation, variables: Readonly<Record<string, unknown>>) => CostReport | undefined;
  /** How often compiled operations failed. */
  readonly fallBacks: Readonly<FallBackCounts>;
  /** The operation of a document that is in memory, with next to nothing done to find it. */
  readonly known: (query: string, name: string | null | undefined) => Operation | undefined;
}

interface Deps {
  readonly schema: GraphQLSchema;
  readonly createContext: CreateContext;
  readonly responseCache: ResponseCache;
  readonly giveViewed: GiveViewed;
  readonly load: LoadGuard;
  readonly log: Logger;
  readonly tracing: Tracing;
  /** How long a request waits for its answer. */
  readonly timeoutMs: number;
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
  readonly limits: QueryLimits;
}

// Yoga matches this against the end of the whole URL, query included; a space is in no URL.
const NO_HEALTH_CHECK = ' ';

export const createEngine = ({
  schema,
  createContext,
  responseCache,
  giveViewed,
  load,
  log,
  tracing,
  timeoutMs,
  introspection,
  fieldSuggestions,
  limits,
}: Deps): Engine => {
  const documents = createDocuments({ schema, limits, introspection, fieldSuggestions });
  const costLimit = createCostLimit(schema, limits.maxCost);
  const fallBacks = createFallBacks();
  const prepared = new WeakMap<DocumentNode, Map<string, Operation | undefined>>();

  const prepare: Engine['prepare'] = (document, name) => {
    const ofDocument = prepared.get(document) ?? new Map<string, Operation | undefined>();
    prepared.set(document, ofDocument);
    const key = name ?? '';
    // A name that picks nothing is not remembered: clients could make up any number of them.
    const operation = ofDocument.get(key) ?? prepareOperation(schema, document, name, !fieldSuggestions);
    if (operation) ofDocument.set(key, operation);
    return operation;
  };

  /** The JSON text of `data`, with slots for the views that are to be counted. */
  const run = async (
    operation: Operation,
    variables: VariableValues,
    caller: Caller,
    hints: CacheHints,
    views: Views,
  ): Promise<string> => {
    costLimit.check(operation.cost, variables);
    try {
      return await runOnce(operation, variables, caller, createContext(hints, views));
    } catch (error) {
      if (!(error instanceof RowVanished)) throw error;
      // What referred to the row has changed with it, and is read again.
      hints.views.clear();
      return runOnce(operation, variables, caller, createContext(hints, views), true);
    }
  };

  /** @throws RowVanished unless it is the last try */
  const runOnce = async (
    operation: Operation,
    variables: VariableValues,
    { log: requestLog }: Caller,
    context: OperationContext,
    isLast = false,
  ): Promise<string> => {
    let failed: { readonly error: unknown } | undefined;
    if (operation.compiled) {
      try {
        return await operation.compiled.run(variables, context);
      } catch (error) {
        if (error instanceof RowVanished && !isLast) throw error;
        failed = { error };
        // The executor below meets the same failure in what the loaders remember, and says it as the specification has it.
      }
    }
    const contextValue = { ...context, rowBudget: context.rowBudget.afresh() };
    const { data, errors } = await executeRootSelectionSet({ ...operation.executionArgs(variables), contextValue });
    const vanished = errors?.find(({ originalError }) => originalError instanceof RowVanished)?.originalError;
    if (vanished && !isLast) throw vanished;
    if (failed) fallBacks.add(operation, failed.error, errors, requestLog);
    if (errors) throw failure(errors.map(createMaskError(requestLog())), data);
    return writeSlots(data, context.hints.views);
  };

  /** Executes an operation, as a part of its trace. */
  const traced = <Result>(operation: Operation, work: () => Result): Result =>
    tracing.isOn ? tracing.span(`query ${operation.label}`, operationAttributes(operation), work) : work();

  /** Here new work begins: what is found in memory, and what waits for an equal request, does not come by. */
  const guarded = async <Value>({ isOnlyCounted }: Operation, work: () => Value | Promise<Value>): Promise<Value> => {
    if (isOnlyCounted) return work();
    const turn = load.enter();
    let isDone = false;
    try {
      if (turn) await turn;
      const value = await work();
      isDone = true;
      return value;
    } finally {
      load.leave(isDone);
    }
  };

  const runGuarded = (
    operation: Operation,
    variables: VariableValues,
    caller: Caller,
    hints: CacheHints,
    views: Views,
  ): Promise<string> =>
    guarded(operation, () => traced(operation, () => run(operation, variables, caller, hints, views)));

  /**
   * An answer that counts views. It is made first, with slots for their numbers, then they are counted: what fails before counts nothing.
   */
  const answerCounted = async (
    operation: Operation,
    variables: VariableValues,
    caller: Caller,
    key: string,
    { toBody, givesPartialData }: BodyForm,
  ): Promise<Executed> => {
    const untilMs = performance.now() + timeoutMs;
    const counted = new Map<number, number>();
    const give = (answer: Pick<CachedResponse, 'body' | 'views'>): Promise<string | undefined> => {
      // Nobody waits for the answer any more.
      if (performance.now() >= untilMs) throw databaseUnavailable();
      return giveViewed(answer, counted);
    };
    const make = async (hints: CacheHints): Promise<string> => {
      hints.countsViews = true;
      return toBody(await runGuarded(operation, variables, caller, hints, 'counted'));
    };
    const withdrawn = () => databaseUnavailable(new Error('a notice was withdrawn while it was read'));

    try {
      const { answer: template, outcome } = await responseCache.get(key, make);
      // Where a view can be counted, the notice can be read too: a detail is never stale.
      const body = outcome === 'stale' ? undefined : await give(template);
      if (body !== undefined) return { body, encoding: 'latin1', template };
      // A notice that was withdrawn since is missing when it is read again.
      const hints = responseCache.createHints();
      const again = await give({ ...toAnswerBody(await make(hints)), views: [...hints.views] });
      if (again === undefined) throw withdrawn();
      return { body: again, encoding: 'latin1' };
    } catch (error) {
      if (!(error instanceof ExecutionFailed) || !error.data || !givesPartialData) throw error;
      const views = operation.countedIn(error.data, variables);
      const filled = await give({ ...toAnswerBody(writeSlots(error.data, views)), views });
      if (filled === undefined) throw withdrawn();
      throw new ExecutionFailed(error.errors, JSON.parse(bytesOf(filled).toString()));
    }
  };

  /** Of the requests that ask for the cost: it wants the variables coerced, and they are coerced once. */
  const coercedForCost = new WeakMap<object, VariableValues>();

  const answer: Engine['answer'] = async (operation, given, caller, form) => {
    const admission = caller.admit(operation.rootFields);
    if (admission) await admission;
    const variables = coercedForCost.get(given) ?? operation.coerce(given);
    if (!isCoerced(variables)) throw new ExecutionFailed(variables.map(createMaskError(caller.log())));
    // Coerced variables come in the order of their definitions, so that equal ones have equal texts.
    const key = `${form.name} ${operation.id} ${JSON.stringify(variables.coerced)}`;
    if (!operation.isCounted) {
      return responseCache.get(key, async (hints) =>
        form.toBody(await runGuarded(operation, variables, caller, hints, 'uncounted')),
      );
    }
    if (caller.countViews) return withDeadline(answerCounted(operation, variables, caller, key, form), timeoutMs);
    const data = runGuarded(operation, variables, caller, responseCache.createHints(), 'uncounted');
    return { body: form.toBody(await withDeadline(data, timeoutMs)), encoding: 'utf8' };
  };

  const loadYoga = async (): Promise<Yoga> => {
    const { createYoga } = await import('graphql-yoga');
    return createYoga<YogaCall, Record<never, never>>({
      schema,
      graphqlEndpoint: '/graphql',
      landingPage: false,
      graphiql: false,
      cors: false,
      healthCheckEndpoint: NO_HEALTH_CHECK,
      multipart: false,
      batching: false,
      logging: false,
      parserAndValidationCache: false,
      maskedErrors: { maskError: createMaskError(log), errorMessage: '' },
      plugins: [useFailed(), useErrorRecord()],
    });
  };
  let yoga: Promise<Yoga> | undefined;

  return {
    yoga: () => {
      yoga ??= loadYoga();
      return yoga;
    },
    checkDocument: documents.check,
    prepare,
    answer,
    giveViewed,
    costOf: ({ cost, coerce }, variables) => {
      const coerced = coerce(variables);
      if (!isCoerced(coerced)) return undefined;
      coercedForCost.set(variables, coerced);
      return costLimit.report(cost, coerced);
    },
    fallBacks: fallBacks.counts,
    known: (query, name) => {
      const document = documents.peek(query);
      return document && prepared.get(document)?.get(name ?? '');
    },
  };
};

/** An operation that turned out to be too complex is refused as a whole: a 400 gives no data. */
const failure = (errors: readonly GraphQLError[], data: ExecutionFailed['data']): ExecutionFailed => {
  const refusal = errors.find(({ extensions }) => extensions.code === 'QUERY_TOO_COMPLEX');
  return refusal ? new ExecutionFailed([refusal]) : new ExecutionFailed(errors, data);
};

// https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/
const operationAttributes = ({ label }: Operation) => ({
  'graphql.operation.type': 'query',
  'graphql.operation.name': label,
});

/** Counts a view and gives its number, after the commit; null where there is nothing that could be viewed. */
interface ViewCounter {
  readonly view: (id: number) => Promise<number | null>;
}

/**
 * Gives an answer that has slots for views to one request: counts them, waits for the commit, and puts this request's own numbers into the
 * body, which is one character for each byte (`latin1`). Undefined where one of its notices can no longer be read.
 * @param counted what this request has counted already, by the ids of the notices; what is counted now is added
 * @throws AppError SERVICE_UNAVAILABLE where the views cannot be counted in time
 */
export type GiveViewed = (
  answer: Pick<CachedResponse, 'body' | 'views'>,
  counted?: Map<number, number>,
) => Promise<string | undefined>;

export const createGiveViewed =
  (viewCounter: ViewCounter, timeoutMs: number): GiveViewed =>
  async ({ body, views }, counted = new Map()) => {
    const ids = counted.size === 0 ? views : views.filter((id) => !counted.has(id));
    const [first] = ids;
    const numbers =
      first !== undefined && ids.length === 1
        ? [await withDeadline(viewCounter.view(first), timeoutMs)]
        : await withDeadline(Promise.all(ids.map((id) => viewCounter.view(id))), timeoutMs);
    let isComplete = true;
    for (const [index, id] of ids.entries()) {
      const number = numbers[index] ?? null;
      if (number === null) isComplete = false;
      else counted.set(id, number);
    }
    return isComplete ? fillPlaceholders(latin1Of(body), counted) : undefined;
  };
