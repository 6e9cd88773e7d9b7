import { type ExecutionArgs, type ExecutionResult, GraphQLError, type VariableValues } from 'graphql';
import type { Found, ResponseCache } from '../cache/response-cache.ts';
import type { Language } from '../language/languages.ts';
import type { Observer } from '../observability/observer.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { Changes, CreateContext } from './context.ts';
import type { Operation } from './operation.ts';
import { type BodyForm, type Caller, type GatewayPlugin, GRAPHQL_BODY, type ServerContext } from './server-context.ts';
import type { Documents } from './use-documents.ts';

/** What a request asks for, within the limits. */
export interface OperationRequest {
  readonly args: ExecutionArgs;
  readonly operation: Operation;
  readonly variables: VariableValues;
  /** That of the answer. */
  readonly language: Language;
  readonly form: BodyForm;
}

/** What both ways to execute work with. */
export interface ExecutionDeps {
  readonly documents: Documents;
  readonly createContext: CreateContext;
  readonly responseCache: ResponseCache;
  /** Of one operation. */
  readonly maxCost: number;
  readonly load: LoadGuard;
  readonly observer: Pick<Observer, 'tracing' | 'fallBack'>;
  /** How long a request waits for its response. */
  readonly timeoutMs: number;
}

/** One of the two ways to execute: for all whose requests are equal (SharedExecution), or each operation for its own caller (OwnExecution). */
export abstract class Execution {
  /** Executes queries, in Yoga's list of plugins. */
  abstract readonly plugin: GatewayPlugin;
  protected readonly deps: ExecutionDeps;

  constructor(deps: ExecutionDeps) {
    this.deps = deps;
  }

  /** The result for one caller, once. */
  abstract once(request: OperationRequest): Promise<ExecutionResult>;

  /**
   * What a subscription shows, with what it depends on.
   * @param changes for a subscription to these; then the response is kept by nobody
   * @throws (in the promise) ExecutionFailed
   */
  abstract respond(request: OperationRequest, caller: Caller, changes?: Changes): Promise<Found>;

  /** Under which a response is kept. Equal for subscriptions whose events are the same. */
  abstract keyOf(request: OperationRequest): string;

  /**
   * Reads what a request asks for.
   * @throws AppError QUERY_TOO_COMPLEX, or BAD_USER_INPUT for a language that is none
   * @throws GraphQLError, or an AggregateError of several, for faulty variables
   */
  readRequest(args: ExecutionArgs): OperationRequest {
    const operation = this.deps.documents.prepare(args);
    if (!operation)
      throw new GraphQLError('The document has no such operation.', { extensions: { code: 'BAD_USER_INPUT' } });
    const { errors, variableValues: variables } = operation.coerce(args.variableValues ?? {});
    if (errors) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
    operation.checkCost(this.deps.maxCost, variables);
    const { call, rest } = args.contextValue as ServerContext;
    const language = call.language.decide(operation.languageTag(variables));
    return { args, operation, variables, language, form: rest?.form ?? GRAPHQL_BODY };
  }

  /** What reads a request: it is read at once, and again where a plugin puts another document or other variables in its place. */
  requestReaderOf(args: ExecutionArgs): (given: ExecutionArgs) => OperationRequest {
    const { document, variableValues } = args;
    const request = this.readRequest(args);
    return (given) => {
      const isSame = given.document === document && given.variableValues === variableValues;
      return isSame ? { ...request, args: given } : this.readRequest(given);
    };
  }

  protected executorOf(args: ExecutionArgs): (given: ExecutionArgs) => Promise<ExecutionResult> {
    const read = this.requestReaderOf(args);
    return (given) => this.once(read(given));
  }

  /** Executes an operation within the load that is allowed, with a span where there are traces. */
  protected withinLoad<Result>(
    { label, isSubscription, isAllLate }: Operation,
    { takesLate }: Pick<Caller, 'takesLate'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { load, observer } = this.deps;
    const type = isSubscription ? 'subscription' : 'query';
    // https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/
    const attributes = { 'graphql.operation.type': type, 'graphql.operation.name': label };
    const traced = () => observer.tracing?.span(type, attributes, work) ?? work();
    // Late values are waited for in a queue with bounds of its own.
    return isAllLate && takesLate ? traced() : load.during(traced);
  }
}
