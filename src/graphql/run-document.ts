import type { ExecutionResult, GraphQLError } from 'graphql';
import { AppError, ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { HttpPart } from './mask-error.ts';
import type { ServerContext } from './server-context.ts';
import type { Yoga } from './yoga.ts';

/**
 * Runs the document of an adapter, through the same plugins as an operation by `/graphql`: https://the-guild.dev/graphql/envelop/docs
 * @param context with the document as `rest`
 */
export const runDocument = (
  context: ServerContext,
  variableValues: Readonly<Record<string, unknown>>,
  yoga: Pick<Yoga, 'getEnveloped'>,
): Promise<ExecutionResult> => execute(context, variableValues, yoga).catch(toResult);

const execute = async (
  context: ServerContext,
  variableValues: Readonly<Record<string, unknown>>,
  yoga: Pick<Yoga, 'getEnveloped'>,
): Promise<ExecutionResult> => {
  const { schema, parse, validate, contextFactory, execute } = yoga.getEnveloped(context);
  const document = parse(context.rest?.source.body);
  const errors = validate(schema, document);
  if (errors.length > 0) return { errors };
  return execute({ schema, document, contextValue: await contextFactory(), variableValues });
};

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
