import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { HttpClient } from '../load/http-client.ts';
import type { Contender } from '../servers/contenders.ts';
import { PRODUCT_DOCUMENT } from './documents.ts';
import { type Call, callOf, hasRest, type Method, type Question, type Workload } from './workload.ts';

/** A count may lag, and moves while notices are read: that it is one is checked here, how high it is by the sum of all. */
const withoutViews = (key: string, value: unknown): unknown =>
  key === 'viewCount' && typeof value === 'number' ? 'a count' : value;

/** The value that a REST body has, out of a GraphQL response. */
const unwrap = (response: unknown, workload: Workload): unknown => {
  const { data, errors } = response as { data?: object; errors?: unknown };
  if (errors !== undefined || data === undefined) return response;
  return hasRest(workload) ? Object.values(data)[0] : data;
};

const excerpt = (value: unknown): string => JSON.stringify(value).slice(0, 600);

/**
 * Asks a question and compares every field of the answer, and the order of every list, with what plain SQL says.
 * @throws Error with both when they differ
 */
export const expectRightAnswer = async (
  client: HttpClient,
  database: pg.Client,
  workload: Workload,
  question: Question,
  method: Method,
): Promise<void> => {
  const call = callOf(workload, question, method);
  const { status, body } = await client.call(call);
  const received: unknown = JSON.parse(body.toString(), withoutViews);
  const actual = method === 'POST' ? unwrap(received, workload) : received;
  const { rows } = await database.query<{ answer: unknown }>(question.expectedSql ?? workload.expectedSql, [
    ...question.values,
  ]);
  const expected: unknown = JSON.parse(JSON.stringify(rows[0]?.answer), withoutViews);
  if (status === 200 && isDeepStrictEqual(actual, expected)) return;
  throw new Error(
    `${workload.code} is answered wrongly (${status}).\n${call.method} ${call.target} ${call.body ?? ''}\nreceived ${excerpt(actual)}\nexpected ${excerpt(expected)}`,
  );
};

/** The request by which every server shows that it has started: the same product, with a method that it answers. */
export const firstCallOf = ({ methods }: Contender): Call =>
  methods.includes('GET')
    ? { method: 'GET', target: '/api/product/1' }
    : { method: 'POST', target: '/graphql', body: JSON.stringify({ query: PRODUCT_DOCUMENT, variables: { id: 1 } }) };
