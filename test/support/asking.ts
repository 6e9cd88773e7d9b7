import http from 'node:http';
import { numbers } from './views.ts';

/** What came of one request. */
export interface Asked {
  /** 0 where there was no answer, or not all of it. */
  readonly status: number;
  readonly text: string;
  readonly headers: http.IncomingHttpHeaders;
  /** `performance.now()` before it was sent. */
  readonly startedMs: number;
  /** Whether nothing came for so long that it was given up. */
  readonly isGivenUp: boolean;
}

const PATIENCE_MS = 10_000;

/** A GET on a connection of its own, which a balancer hands to the next worker or instance. Never rejects. */
export const getByNewConnection = (url: string): Promise<Asked> =>
  new Promise((resolve) => {
    const startedMs = performance.now();
    let isGivenUp = false;
    const fail = (): void => resolve({ status: 0, text: '', headers: {}, startedMs, isGivenUp });
    const request = http.get(url, { agent: false, timeout: PATIENCE_MS }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers, startedMs, isGivenUp }),
      );
      response.on('error', fail);
    });
    request.on('timeout', () => {
      isGivenUp = true;
      request.destroy();
    });
    request.on('error', fail);
  });

export interface Asking extends AsyncDisposable {
  /** Lets those under way finish, and gives what came of all but those that were answered with 200. */
  readonly stop: () => Promise<readonly Asked[]>;
  readonly count: () => number;
}

/** So many clients that ask for the same all the time, on a new connection each time. */
export const keepAsking = (url: string, clients: number): Asking => {
  const failed: Asked[] = [];
  let count = 0;
  let isRunning = true;
  const running = Promise.all(
    numbers(1, clients).map(async () => {
      while (isRunning) {
        const asked = await getByNewConnection(url);
        count += 1;
        if (asked.status !== 200) failed.push(asked);
      }
    }),
  );
  const stop = async (): Promise<readonly Asked[]> => {
    isRunning = false;
    await running;
    return failed;
  };
  return {
    count: () => count,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
};
