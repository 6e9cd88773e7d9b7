import { expect, test, vi } from 'vitest';
import type { CachedResponse } from '../../src/cache/cached-response.ts';
import { ResponseWriter } from '../../src/http/cached-http-response.ts';

// By itself: a whole gateway whose clock is wrong takes a process of its own.

const NOW_MS = Date.parse('2026-11-28T12:00:00.900Z');
const SECOND = Math.floor(NOW_MS / 1000);

const cached = { status: 200, etag: 'W/"1"', body: '{}', byteLength: 2, validUntilMs: undefined } as CachedResponse;
const head = { contentType: 'application/json', isNegotiated: false };
const request = { method: 'GET', target: '/', headers: {}, body: undefined, fault: undefined };

test.for([
  ['as the database', 0, SECOND],
  ['that is a minute behind the database', 60_000, SECOND],
  ['that is a minute ahead of the database', -60_000, SECOND - 60],
])('nginx goes by the earlier of two clocks, beside a process %s', ([, aheadMs, second]) => {
  vi.spyOn(Date, 'now').mockReturnValue(NOW_MS);
  const writer = new ResponseWriter({
    clock: { nowMs: () => NOW_MS + Number(aheadMs) } as never,
    contentEncodings: () => undefined,
    cors: undefined,
    isRestricted: false,
    hasPreviews: false,
  });
  expect(writer.ofCache(cached, 'hit', head, request, 'id').headers['x-accel-expires']).toBe(`@${second}`);
  vi.restoreAllMocks();
});
