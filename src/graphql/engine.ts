import { type DocumentNode, execute, type GraphQLError, type VariableValues } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Answer } from '../cache/answer.ts';
import type { Answers, CacheOutcome } from '../cache/answers.ts';
import { GatheredPolicy } from '../cache/policy.ts';
import { withDeadline } from '../deadline.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { Caller } from './context.ts';
import { createCostLimit } from './limits/cost-limit.ts';
import { createDocumentCache } from './limits/document-cache.ts';
import type { QueryLimits } from './limits/query-limits.ts';
import { useQueryLimits } from './limits/use-query-limits.ts';
import type { CreateContext } from './loaders.ts';
import { createMaskError } from './mask-error.ts';
import { type Operation, prepareOperation } from './operation.ts';
import { useEngine, useErrorRecord, useInvalid, useNoIntrospection, type YogaCall } from './plugins.ts';
import { schema } from './schema.ts';
import { createViewDocuments, type ViewDocuments } from './view-documents.ts';
import type { GiveViewed } from './views.ts';

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

/** A finished body. */
export type Executed =
  /** One that other requests may get too. */
  | { readonly answer: Answer; readonly outcome: CacheOutcome; readonly body?: undefined }
  /** One that belongs to this request alone. */
  | {
      readonly body: string;
      readonly encoding: 'utf8' | 'latin1';
      readonly answer?: undefined;
      /** What it was made of, which is good for other requests too: there are slots in it for their views. */
      readonly template?: Answer | undefined;
    };

/** What a door makes of the JSON text of `data`, under a name that tells its bodies from the other door's. */
export interface BodyForm {
  readonly name: string;
  readonly toBody: (data: string) => string;
}

type Yoga = YogaServerInstance<YogaCall, Record<never, never>>;

export interface Engine {
  /**
   * The GraphQL door: GraphQL over HTTP, https://graphql.github.io/graphql-over-http/draft/
   * It is loaded when it is first asked for: it is half of all that there is to load.
   */
  readonly yoga: () => Promise<Yoga>;
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
  /** Whether a request with this body is known to do nothing but count views. */
  readonly isView: ViewDocuments['has'];
}

/** The variables as they came, and as the document's types and defaults make them; undefined where they do not fit. */
interface Inputs {
  readonly variables: Record<string, unknown>;
  readonly coerced: VariableValues | undefined;
}

interface Deps {
  readonly createContext: CreateContext;
  readonly answers: Answers;
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

/** The compiled operation did not do with slots for views. */
class NotDeferred extends Error {}

// Yoga matches this against the end of the whole URL, query included; a space is in no URL.
const NO_HEALTH_CHECK = ' ';

export const createEngine = ({
  createContext,
  answers,
  giveViewed,
  load,
  log,
  tracing,
  timeoutMs,
  introspection,
  fieldSuggestions,
  limits,
}: Deps): Engine => {
  const viewDocuments = createViewDocuments();
  const costLimit = createCostLimit(schema, limits.maxCost);
  const prepared = new WeakMap<DocumentNode, Map<string, Operation | undefined>>();

  const prepare: Engine['prepare'] = (document, name) => {
    const ofDocument = prepared.get(document) ?? new Map<string, Operation | undefined>();
    prepared.set(document, ofDocument);
    const key = name ?? '';
    // A name that picks nothing is not remembered: clients could make up any number of them.
    const operation = ofDocument.get(key) ?? prepareOperation(schema, document, name);
    if (operation) ofDocument.set(key, operation);
    return operation;
  };

  /** The JSON text of `data`. */
  const run = async (
    { document, name, compiled, cost }: Operation,
    { variables, coerced }: Inputs,
    { countViews, log: requestLog }: Caller,
    policy: GatheredPolicy,
  ): Promise<string> => {
    if (coerced) costLimit.check(cost, coerced);
    const contextValue = createContext(policy, countViews ? 'counted' : 'uncounted');
    if (compiled && coerced) {
      try {
        return await compiled.run(coerced, contextValue);
      } catch {
        // The executor below meets the same failure in what the loaders remember, and says it as the specification has it.
      }
    }
    const { data, errors } = await execute({
      schema,
      document,
      contextValue,
      variableValues: variables,
      hideSuggestions: !fieldSuggestions,
      ...(name === undefined ? {} : { operationName: name }),
    });
    if (errors) throw new ExecutionFailed(errors.map(createMaskError(requestLog())), data);
    return JSON.stringify(data);
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

  const execution = (operation: Operation, inputs: Inputs, caller: Caller, policy: GatheredPolicy): Promise<string> =>
    guarded(operation, () => traced(operation, () => run(operation, inputs, caller, policy)));

  /** An answer with slots for the views that are to be counted; undefined where the operation has to be executed for each of them. */
  const getTemplate = async (
    operation: Operation,
    { coerced }: Inputs,
    key: string,
    toBody: BodyForm['toBody'],
  ): Promise<Answer | undefined> => {
    const { compiled, cost } = operation;
    if (!compiled || !coerced) return undefined;
    costLimit.check(cost, coerced);
    const runDeferred = async (policy: GatheredPolicy): Promise<string> => {
      try {
        return await guarded(operation, () =>
          traced(operation, () => compiled.run(coerced, createContext(policy, 'deferred'))),
        );
      } catch (error) {
        throw new NotDeferred('', { cause: error });
      }
    };
    try {
      return (await answers.get(key, async (policy) => toBody(await runDeferred(policy)))).answer;
    } catch (error) {
      if (error instanceof NotDeferred) return undefined;
      throw error;
    }
  };

  const answerCounted = async (
    operation: Operation,
    inputs: Inputs,
    caller: Caller,
    key: string,
    toBody: BodyForm['toBody'],
  ): Promise<Executed> => {
    const template = caller.countViews ? await getTemplate(operation, inputs, key, toBody) : undefined;
    const body = template && (await giveViewed(template));
    if (body !== undefined) return { body, encoding: 'latin1', template };
    return {
      body: toBody(await execution(operation, inputs, caller, new GatheredPolicy())),
      encoding: 'utf8',
    };
  };

  const answer: Engine['answer'] = async (operation, variables, caller, { name, toBody }) => {
    const admission = caller.admit(operation.rootFields);
    if (admission) await admission;
    const inputs: Inputs = { variables, coerced: operation.coerce(variables) };
    // Coerced variables come in the order of their definitions, so that equal ones have equal texts.
    const key = `${name} ${operation.id} ${JSON.stringify(inputs.coerced?.coerced)}`;
    if (operation.isCounted || !inputs.coerced) {
      return withDeadline(answerCounted(operation, inputs, caller, key, toBody), timeoutMs);
    }
    return answers.get(key, async (policy) => toBody(await execution(operation, inputs, caller, policy)));
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
      parserAndValidationCache: createDocumentCache(),
      maskedErrors: { maskError: createMaskError(log), errorMessage: '' },
      plugins: [
        useQueryLimits({ limits, fieldSuggestions }),
        useEngine({ prepare, answer, costLimit, viewDocuments }),
        useInvalid(),
        useErrorRecord(),
        !introspection && useNoIntrospection(),
      ],
    });
  };
  let yoga: Promise<Yoga> | undefined;

  return {
    yoga: () => {
      yoga ??= loadYoga();
      return yoga;
    },
    prepare,
    answer,
    giveViewed,
    isView: viewDocuments.has,
  };
};

// https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/
const operationAttributes = ({ label }: Operation) => ({
  'graphql.operation.type': 'query',
  'graphql.operation.name': label,
});
