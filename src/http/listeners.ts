import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer, Server } from 'node:net';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors.ts';

/**
 * Connections that may wait to be accepted; the system has a limit of its own (`net.core.somaxconn`). Past it the system drops the client's packet,
 * and the client tries again after 1, 3 and 7 seconds. Node's default of 511 is too few for a thousand clients while the event loop is busy.
 */
const BACKLOG = 4096;

type Address = Pick<Config, 'port' | 'host'>;

/**
 * Lets a server listen. On Linux the sockets of several workers share the address, and the system distributes connections among them;
 * elsewhere workers get theirs from the primary.
 * @throws OperatorError when the address cannot be listened on
 */
export const listenOn = (server: Server, { port, host }: Address): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ code = '', message }: NodeJS.ErrnoException) =>
      reject(new OperatorError(LISTEN_ERRORS[code]?.(port, host) ?? `Cannot listen on port ${port}: ${message}`)),
    );
    const reusePort = cluster.isWorker && process.platform === 'linux';
    server.listen({ port, backlog: BACKLOG, reusePort, ...(host === undefined ? {} : { host }) }, resolve);
  });

/** No more connections are accepted; open ones stay. Idempotent. */
export const stopListening = (server: Server): void => {
  // The `close` of Node's HTTP server would close idle connections too.
  if (server.listening) Server.prototype.close.call(server);
};

/** Listens briefly to find a free port. @throws OperatorError when the address cannot be listened on */
export const findPort = async (address: Address): Promise<number> => {
  const server = createServer();
  await listenOn(server, address);
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
};

const LISTEN_ERRORS: Readonly<Record<string, (port: number, host: string | undefined) => string>> = {
  EADDRINUSE: (port) =>
    `Port ${port} is taken by another program. Stop it, or set PORT to another number (0 takes any free one).`,
  EACCES: (port) => `Port ${port} needs rights that this user does not have. Set PORT to a number above 1023.`,
  EADDRNOTAVAIL: (_, host) => `HOST is ${host}, which is no address of this machine.`,
  ENOTFOUND: (_, host) => `HOST is ${host}, which no name service knows.`,
};

/** Where a server that listens is reached: `http://localhost:4000`. */
export const urlOf = (server: Server, host = 'localhost'): string => {
  const { port } = server.address() as AddressInfo;
  const name = host === '::' || host === '0.0.0.0' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
};
