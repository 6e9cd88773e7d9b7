import { GraphQLError } from 'graphql';

/**
 * Runs work whose errors are mistakes of a client. Nobody reads their stack, which V8 captures for each error that is made, and nobody lists the
 * properties of a GraphQLError, whose constructor spends most of its time on setting which of them are listed (docs/fast-path.md).
 */
export const stackless = <Value>(work: () => Value): Value => {
  const { stackTraceLimit } = Error;
  const { defineProperties } = Object;
  Error.stackTraceLimit = 0;
  Object.defineProperties = (target, properties) =>
    target instanceof GraphQLError ? target : defineProperties(target, properties);
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Object.defineProperties = defineProperties;
  }
};
