import net from 'node:net';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { JSON_HEADERS, type TestGateway } from './gateway.ts';

export interface Listening extends AsyncDisposable, HttpServer {}

/** Puts a gateway behind a real socket on a free port. @param environment for what concerns connections */
export const listen = async (
  { app }: Pick<TestGateway, 'app'>,
  environment: Record<string, string> = {},
): Promise<Listening> => {
  const config = readConfig({ PORT: '0', HOST: '127.0.0.1', ...environment });
  const server = await startHttpServer(app, config, pino({ level: 'silent' }));
  return { ...server, [Symbol.asyncDispose]: () => server.drain(0) };
};

/** POSTs to `/graphql`, as JSON: an object, or a text as it is. */
export const postTo = (
  { url }: { readonly url: string },
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Sends these very bytes on a connection of their own and gives everything that comes back until the server closes it. */
export const sendRaw = (url: string, bytes: string | Uint8Array): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
    socket.write(bytes);
  });
