import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createObserver } from '../../src/observability/observer.ts';

const open = async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const options = { logRequests: 'misses', tracing: undefined } as const;
  return { observer: await createObserver(options, log), lines };
};

describe('a refusal is observed as other events are:', () => {
  const LOAD = { inFlight: 3, waiting: 2, statementsWaiting: 1 };

  test('each for overload is counted, and one line tells of all for some seconds', async () => {
    const { observer, lines } = await open();
    for (let count = 0; count < 3; count += 1) observer.overload(LOAD);
    expect(observer.requests.overloads).toBe(3);
    expect(lines).toMatchObject([{ level: 40, ...LOAD, refused: 1 }]);
  });

  test('a request that is refused before it begins is counted and logged by its code, and was never under way', async () => {
    const { observer, lines } = await open();
    const request = {
      requestId: 'id-1',
      method: 'GET',
      path: '/api/product/1',
      headers: {},
      startMs: performance.now(),
    };
    observer.refuse(request, new AppError('TOO_MANY_REQUESTS', 'Not so often.'), ['rest', 'product']);
    expect(observer.requests.inFlight).toBe(0);
    expect([...observer.requests.errors.values()]).toEqual([{ handler: 'rest', code: 'TOO_MANY_REQUESTS', count: 1 }]);
    expect(lines).toMatchObject([{ requestId: 'id-1', status: 429, code: 'TOO_MANY_REQUESTS', cache: 'none' }]);
  });
});
