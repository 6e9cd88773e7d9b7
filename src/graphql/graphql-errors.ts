import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import { validHeaders } from '../http/message.ts';

/**
 * Whether it is a GraphQLError, of this copy of graphql or of another:
 * https://the-guild.dev/graphql/envelop/docs/guides/integrating-with-different-graphql-versions
 */
export const isGraphQLError = (error: unknown): error is GraphQLError =>
  // Subclasses, as Pothos has them, have names of their own.
  error instanceof GraphQLError || (error instanceof Error && error.name === 'GraphQLError');

/** The error that others were wrapped around. */
export const rootCause = (error: unknown): unknown =>
  isGraphQLError(error) && error.originalError ? rootCause(error.originalError) : error;

/** The same error with other extensions. */
export const withExtensions = (error: GraphQLError, extensions: GraphQLErrorExtensions): GraphQLError => {
  const { message, nodes, source, positions, path, originalError } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
};

/**
 * The part of the HTTP response that an error sets, in `extensions.http`:
 * https://the-guild.dev/graphql/yoga-server/docs/features/error-masking#error-codes-and-http-status
 */
export interface HttpPart {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** Whether it is an error of GraphQL, which `application/json` answers with 200. */
  readonly spec?: boolean;
}

/** The part of an `extensions.http` that a response with a body can have: https://fetch.spec.whatwg.org/#concept-status */
export const httpPartOf = ({ status, headers, ...others }: Partial<HttpPart>): Partial<HttpPart> => ({
  ...others,
  ...(isStatus(status) ? { status } : {}),
  ...(headers ? { headers: validHeaders(headers) } : {}),
});

const isStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600 && !WITHOUT_BODY.has(status);

const WITHOUT_BODY: ReadonlySet<unknown> = new Set([204, 205, 304]);

/** A result of whose errors and extensions a response can be made. */
export const withHttpParts = (result: ExecutionResult): ExecutionResult => {
  const { errors, extensions } = result;
  if (!errors && !extensions?.http) return result;
  const shown = errors?.map((error) =>
    error.extensions?.http ? withExtensions(error, withCheckedPart(error.extensions)) : error,
  );
  return {
    ...result,
    ...(shown && { errors: shown }),
    ...(extensions?.http ? { extensions: withCheckedPart(extensions) } : {}),
  };
};

const withCheckedPart = (extensions: GraphQLErrorExtensions) => ({
  ...extensions,
  http: httpPartOf(extensions.http as HttpPart),
});
