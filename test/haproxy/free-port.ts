import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system gives to connections of its own, one of which might have it while its gateway is down. */
const FIRST = 20_000;
const LAST = 32_000;

/** A port for a server that is stopped and started again at it. */
export const freePort = async (): Promise<number> => {
  const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
};
