import { Agent, type IncomingMessage, request } from 'node:http';
import type { Call } from '../workloads/workload.ts';

interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Asks one server, over connections that stay open until the end. */
export interface HttpClient extends Disposable {
  readonly call: (call: Call) => Promise<Reply>;
  /** Makes every call once, many at a time, and hands on each answer. @throws Error when one is not a 200 */
  readonly callAll: (calls: readonly Call[], take?: (call: Call, reply: Reply) => void) => Promise<void>;
}

const CONCURRENCY = 32;

/** By events, because tens of thousands are read before a workload: 75 µs a call, and 110 by a consumer of streams. */
const read = (response: IncomingMessage, done: (reply: Reply) => void, fail: (error: Error) => void): void => {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => void chunks.push(chunk));
  response.on('error', fail);
  response.on('end', () => {
    const { statusCode = 0, headers } = response;
    done({ status: statusCode, contentType: headers['content-type'] ?? '', body: Buffer.concat(chunks) });
  });
};

export const createHttpClient = (url: string): HttpClient => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const { hostname, port } = new URL(url);

  const call: HttpClient['call'] = (each) =>
    new Promise((resolve, reject) => {
      const { method, target, body } = each;
      const headers =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const asked = request({ hostname, port, path: target, agent, method, headers }, (response) =>
        read(response, resolve, reject),
      );
      // The server may close a connection that was idle for long just when it is used again.
      const isTooLate = (error: Error): boolean => asked.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      asked.on('error', (error) => (isTooLate(error) ? resolve(call(each)) : reject(error)));
      asked.end(body);
    });

  return {
    call,
    callAll: async (calls, take) => {
      const queue = calls.values();
      const work = async (): Promise<void> => {
        for (const each of queue) {
          const reply = await call(each);
          if (reply.status !== 200)
            throw new Error(`${each.method} ${each.target} was answered ${reply.status}: ${reply.body}`);
          take?.(each, reply);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
};
