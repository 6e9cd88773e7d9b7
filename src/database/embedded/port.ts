import { once } from 'node:events';
import { createServer } from 'node:net';

/** Only this machine can connect. */
export const HOST = '127.0.0.1';

/** The preferred port when it is free, another free one otherwise. */
export const findFreePort = async (preferred = 0): Promise<number> => {
  const server = createServer().listen(preferred, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (preferred === 0) throw error;
    return findFreePort();
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : preferred;
};
