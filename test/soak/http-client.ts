import http from 'node:http';
import type { CachedResponse } from '../support/gateway.ts';
import type { Request } from '../support/known-answers.ts';

export interface HttpClient {
  /** Undefined where the connection broke before the whole answer was there. */
  readonly send: (url: string, request: Request) => Promise<CachedResponse | undefined>;
  readonly close: () => void;
}

/** Past every deadline of the gateway. */
const TIMEOUT_MS = 10_000;

/** Over connections that are kept, as storefronts have them. */
export const createHttpClient = (): HttpClient => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  return {
    send: (url, [method, target, headers = {}, body]) =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(url);
        const length = !body ? {} : { 'content-length': Buffer.byteLength(body) };
        const options = {
          agent,
          hostname,
          port,
          method,
          path: target,
          headers: { ...headers, ...length },
          timeout: TIMEOUT_MS,
        };
        const request = http.request(options, async (response) => {
          try {
            const chunks: Buffer[] = [];
            for await (const chunk of response) chunks.push(chunk as Buffer);
            resolve(toAnswer(response, Buffer.concat(chunks).toString('utf8')));
          } catch {
            resolve(undefined);
          }
        });
        request.on('timeout', () => request.destroy());
        request.on('error', () => resolve(undefined));
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
};

const toAnswer = (
  { statusCode = 0, headers }: Pick<http.IncomingMessage, 'statusCode' | 'headers'>,
  text: string,
): CachedResponse => ({
  status: statusCode,
  headers: headers as Record<string, string>,
  text,
  get json() {
    return JSON.parse(text);
  },
});
