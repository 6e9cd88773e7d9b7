import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Answer } from '../cache/response-cache.ts';
import { AppError, ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { HttpPart } from './graphql-errors.ts';
import type { MaskError } from './mask-error.ts';
import { ORIGIN, type RestDocument } from './server-context.ts';
import type { Documents } from './use-documents.ts';
import { type TokenResponses, TokenResult } from './use-result-writer.ts';
import type { Yoga } from './yoga.ts';

/** By which name clients of an adapter know an argument, and how a sentence begins with it. */
export type NameOf = (argument: string) => readonly [name: string, subject: string] | undefined;

/** What operations are run with. */
export interface Engine {
  readonly yoga: Yoga;
  readonly documents: Pick<Documents, 'find' | 'prepare'>;
  readonly tokens: TokenResponses;
  readonly maskError: MaskError;
}

/**
 * Runs the document of an adapter, through the same plugins as an operation by `/graphql`: https://the-guild.dev/graphql/envelop/docs
 * @param call whose caller was admitted, before its parameters were read
 * @returns what was executed, or, where plugins have made another result of it, its data @throws (in the promise) AppError
 */
export const runDocument = async (
  call: Call,
  rest: RestDocument,
  variables: Readonly<Record<string, unknown>>,
  engine: Engine,
  nameOf: NameOf,
): Promise<{ readonly answer: Answer | undefined; readonly data: Readonly<Record<string, unknown>> }> => {
  const admitted: Call = { ...call, admit: () => undefined };
  const result = await runThroughPlugins(admitted, rest, variables, engine).catch(toResult);
  const [error] = result.errors ?? [];
  if (error) throw renamed(appErrorOf(engine.maskError(error)), nameOf);
  return { answer: TokenResult.answerOf(result), data: result.data ?? {} };
};

const runThroughPlugins = async (
  call: Call,
  rest: RestDocument,
  variables: Readonly<Record<string, unknown>>,
  { yoga, tokens }: Engine,
): Promise<ExecutionResult> => {
  const query = rest.source.body;
  // Plugins of the operator read headers and parameters there, as by `/graphql`.
  const read = tokens.areRead ? { request: webRequestOf(call), params: { query, variables } } : undefined;
  const { schema, parse, validate, contextFactory, execute } = yoga.getEnveloped({ call, rest, ...read });
  const document = parse(query);
  const errors = validate(schema, document);
  if (errors.length > 0) return { errors };
  return execute({ schema, document, contextValue: await contextFactory(), variableValues: variables });
};

const webRequestOf = ({ request: { method, target, headers } }: Call): Request =>
  new Request(ORIGIN + target, { method, headers: { ...headers } as Record<string, string> });

/** The result of what was thrown: one error, or several. */
const toResult = (error: unknown): ExecutionResult => ({
  errors: error instanceof AggregateError ? error.errors : [error as GraphQLError],
});

/** The AppError behind a masked error. Any other error is a plugin's, with a code of its own. */
const appErrorOf = ({ originalError: cause, message, extensions }: GraphQLError): AppError => {
  if (cause instanceof AppError) return cause;
  const code = extensions.code as ErrorCode;
  const { headers, status = ERROR_TABLE[code]?.status ?? 500 } = (extensions.http ?? {}) as Partial<HttpPart>;
  const names = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return new AppError(code, message, { status, headers: Object.fromEntries(names) });
};

const renamed = (error: AppError, nameOf: NameOf): AppError => {
  const { code, argument, problem, headers } = error;
  const named = argument === undefined ? undefined : nameOf(argument);
  if (!named || problem === undefined) return error;
  const [name, subject] = named;
  return new AppError(code, `${subject} ${problem}.`, { argument: name, problem, headers, cause: error });
};
