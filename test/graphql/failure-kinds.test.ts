import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { AppError, databaseUnavailable, Overloaded } from '../../src/errors.ts';
import { ExecutionFailed, failureKindOf } from '../../src/graphql/failures.ts';

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const of = (...causes: Error[]): ExecutionFailed =>
  new ExecutionFailed(causes.map((originalError) => new GraphQLError(originalError.message, { originalError })));

/** 57014: a statement was cancelled at its time limit. */
const [away, slow] = [databaseUnavailable(withCode('ECONNREFUSED')), databaseUnavailable(withCode('57014'))];
const bad = new AppError('BAD_USER_INPUT', 'Argument "limit" must be between 1 and 100.');

test.for<[kind: string, what: string, error: Error]>([
  ['unreachable', 'a server that refuses connections', away],
  ['unreachable', 'one that does among other failures', of(bad, slow, away)],
  ['unanswered', 'a statement past its time limit', slow],
  ['unanswered', 'one among arguments that are wrong', of(bad, slow)],
  ['overload', 'too many requests, whatever else failed', of(away, new Overloaded())],
  ['other', 'a wrong argument', of(bad)],
  ['other', 'a fault of ours', new Error('oops')],
])('"%s" is %s', ([kind, , error]) => {
  expect(failureKindOf(error)).toBe(kind);
});
