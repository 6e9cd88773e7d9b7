import { PothosValidationError } from '@pothos/core';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { toAppError } from '../database/failures.ts';
import { type AppError, ERROR_TABLE, type ErrorCode } from '../errors.ts';
import { type HttpPart, httpPartOf, isGraphQLError, rootCause, withExtensions } from './graphql-errors.ts';

export type MaskError = (error: unknown) => GraphQLError;

/**
 * Makes the errors that clients see, by GraphQL or REST: they have a code of ERROR_TABLE, and show nothing of a driver or a stack. The
 * AppError that an error is, or became, is its `originalError`.
 * @param log of the request; an error that several requests share is logged once
 */
export const createMaskError = (log: () => Logger): MaskError => {
  const appErrors = new WeakMap<object, AppError>();

  const appErrorOf = (cause: unknown): AppError => {
    const appError = appErrors.get(cause as object) ?? toAppError(cause, log);
    if (typeof cause === 'object' && cause !== null) appErrors.set(cause, appError);
    return appError;
  };

  return (error) => {
    if (isGraphQLError(error) && isClientFault(error)) return clientFault(error);
    const cause = appErrorOf(rootCause(error));
    const { code, message, argument, headers, details } = cause;
    // Resolvers find bad arguments, so the response has data and errors together, with status 200 as the specification says. A bare AppError is about
    // the request, not about its operation.
    const isOfOperation = code === 'BAD_USER_INPUT' && isGraphQLError(error);
    const http: HttpPart | undefined =
      isOfOperation && error.path
        ? undefined
        : { status: ERROR_TABLE[code].status, headers: { ...headers }, spec: isOfOperation };
    const extensions = { code, ...(argument ? { argument } : {}), ...details, ...(http ? { http } : {}) };
    const { nodes, source, positions, path } = isGraphQLError(error) ? error : ({} as Partial<GraphQLError>);
    return new GraphQLError(message, { nodes, source, positions, path, originalError: cause, extensions });
  };
};

/** The codes that Yoga has for what it finds before it validates, and ours. */
const YOGA_CODES: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'BAD_USER_INPUT',
  OPERATION_RESOLUTION_FAILURE: 'BAD_USER_INPUT',
  REQUEST_ENTITY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
};

// An error that graphql made is the client's fault where it has a code or no path, because then nothing ran. One with a path, or one that wraps
// another error, comes from a resolver or from a value that does not fit its type, and is ours.
const isClientFault = (error: GraphQLError): boolean =>
  isGraphQLError(rootCause(error)) &&
  (error.extensions?.code !== undefined ||
    error.extensions?.http !== undefined ||
    error.path === undefined ||
    isArgumentFault(error));

// A variable that is null or absent where the argument needs a value is found only while the field runs, and so is a cursor that none of Pothos'
// connections gave.
const isArgumentFault = (error: GraphQLError): boolean =>
  error.message.startsWith('Argument ') || rootCause(error) instanceof PothosValidationError;

/**
 * An error that the client sees as it is, with its part of the HTTP response.
 * - An error with a path is beside data, whose status is 200: it has such a part only where who threw it, a plugin or a resolver, says one.
 * - Any other came before the execution: a 400, if it says no status. `spec` leaves it a 200 in `application/json`, as the draft of GraphQL over
 *   HTTP wants where the fault is in the operation: not where there is no GraphQL request at all, of which Yoga's own codes tell, nor where
 *   the error says a status, which is meant for both media types.
 */
const clientFault = (error: GraphQLError): GraphQLError => {
  const { http: givenHttp, ...extensions } = error.extensions ?? {};
  const given = String(extensions.code ?? 'BAD_USER_INPUT');
  const isOfRequest = given in YOGA_CODES;
  const code = YOGA_CODES[given] ?? given;
  const { headers, ...others } = httpPartOf((givenHttp ?? {}) as Partial<HttpPart>);
  const spec = !isOfRequest && (others.spec ?? others.status === undefined);
  // Whatever is wrong with the parameters, Yoga says which methods it knows: QUERY is not one.
  const hasHeaders = headers && !(isOfRequest && others.status === 400);
  const part = { ...others, ...(hasHeaders && { headers }), spec };
  const http = error.path ? givenHttp && part : { status: 400, ...part };
  return withExtensions(error, { ...extensions, code, ...(http ? { http } : {}) });
};
