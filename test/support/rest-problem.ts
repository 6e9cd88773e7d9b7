import { expect } from 'vitest';
import type { CachedResponse } from './gateway.ts';

interface Expected {
  readonly status: number;
  readonly code: string;
  /** The parameter at fault; undefined where none is. */
  readonly parameter?: string | undefined;
  /** All of `detail`, or a pattern in it. */
  readonly detail?: string | RegExp;
}

/** An answer is a problem of RFC 9457 with these members and no other, which nothing may keep. */
export const expectProblem = (answer: CachedResponse, { status, code, parameter, detail }: Expected): void => {
  expect(answer, answer.text).toMatchObject({
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', 'cache-control': 'no-store' },
  });
  expect(answer.headers).not.toHaveProperty('etag');
  const sentence =
    detail instanceof RegExp ? expect.stringMatching(detail) : (detail ?? expect.stringMatching(/\w.*\.$/s));
  expect(answer.json).toStrictEqual({
    type: `urn:vitrine:error:${code}`,
    title: expect.stringMatching(/^[A-Z][a-z ]+$/),
    status,
    detail: sentence,
    code,
    ...(parameter === undefined ? {} : { parameter }),
  });
};

export const expectBadParameter = (answer: CachedResponse, parameter: string, detail?: string | RegExp): void =>
  expectProblem(answer, { status: 400, code: 'BAD_USER_INPUT', parameter, ...(detail ? { detail } : {}) });

export const expectNotFound = (answer: CachedResponse): void =>
  expectProblem(answer, { status: 404, code: 'NOT_FOUND' });
