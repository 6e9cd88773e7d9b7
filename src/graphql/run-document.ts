import type { ExecutionResult, GraphQLError } from 'graphql';
import { AppError, ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { Answers } from './body-form.ts';
import type { HttpPart } from './mask-error.ts';
import { ORIGIN, type RestDocument } from './server-context.ts';
import type { Yoga } from './yoga.ts';

interface Engine {
  readonly yoga: Pick<Yoga, 'getEnveloped'>;
  readonly answers: Pick<Answers, 'areRead'>;
}

/** Runs the document of an adapter, through the same plugins as an operation by `/graphql`: https://the-guild.dev/graphql/envelop/docs */
export const runDocument = (
  call: Call,
  rest: RestDocument,
  variables: Readonly<Record<string, unknown>>,
  engine: Engine,
): Promise<ExecutionResult> => runThroughPlugins(call, rest, variables, engine).catch(toResult);

const runThroughPlugins = async (
  call: Call,
  rest: RestDocument,
  variables: Readonly<Record<string, unknown>>,
  { yoga, answers }: Engine,
): Promise<ExecutionResult> => {
  const query = rest.source.body;
  // Plugins of the operator read headers and parameters there, as by `/graphql`.
  const read = answers.areRead ? { request: webRequestOf(call), params: { query, variables } } : undefined;
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
export const appErrorOf = ({ originalError: cause, message, extensions }: GraphQLError): AppError => {
  if (cause instanceof AppError) return cause;
  const code = extensions.code as ErrorCode;
  const { headers, status = ERROR_TABLE[code]?.status ?? 500 } = (extensions.http ?? {}) as Partial<HttpPart>;
  const names = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return new AppError(code, message, { status, headers: Object.fromEntries(names) });
};
