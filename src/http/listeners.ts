import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, Server as SocketServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';

/** A busy process accepts for so long; with an empty queue it ends at once. */
const MAX_ACCEPT_WAITING_MS = 2000;

export type Listener = Awaited<ReturnType<typeof listenOn>>;

/**
 * Lets a server listen. On Linux the sockets of several workers share the address, and the system distributes connections among them;
 * elsewhere workers get theirs from the primary.
 * @throws OperatorError when the address cannot be listened on
 */
export const listenOn = async (server: Server, address: Address) => {
  await listen(server, address, { reusePort: cluster.isWorker && process.platform === 'linux' });
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  return {
    /**
     * Accepts the connections that wait in the queue of the socket: the system resets those that are left there when the socket closes.
     * Node accepts one in each turn of its event loop. Resolves when the queue is empty, or after two seconds.
     */
    acceptWaiting: async (): Promise<void> => {
      const deadlineMs = performance.now() + MAX_ACCEPT_WAITING_MS;
      // The turn of the event loop that is under way may have passed the socket already.
      await nextTurn();
      let before: number;
      do {
        before = accepted;
        await nextTurn();
      } while (accepted > before && performance.now() < deadlineMs);
    },
    /** No more connections are accepted; open ones stay. Idempotent. */
    close: (): void => {
      // The `close` of Node's HTTP server would close idle connections too.
      if (server.listening) SocketServer.prototype.close.call(server);
    },
    /** Resolves when the socket and all its connections are closed. */
    closed: untilClosed(server),
  };
};

/**
 * Connections that may wait to be accepted; the system has a limit of its own (`net.core.somaxconn`). Past it the system drops the client's packet,
 * and the client tries again after 1, 3 and 7 seconds. Node's default of 511 is too few for a thousand clients while the event loop is busy.
 */
const BACKLOG = 4096;

export interface Address {
  /** 0 for any that is free. */
  readonly port: number;
  /** Undefined for every address of this machine. */
  readonly host: string | undefined;
}

const untilClosed = (server: SocketServer): Promise<void> => new Promise((resolve) => server.once('close', resolve));

/** @throws OperatorError when the address cannot be listened on */
const listen = (
  server: SocketServer,
  { port, host }: Address,
  options: Pick<ListenOptions, 'reusePort'> = {},
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new OperatorError(
          LISTEN_ERRORS[error.code ?? '']?.(port, host) ?? `Cannot listen on port ${port}: ${error.message}`,
        ),
      );
    });
    server.listen({ port, backlog: BACKLOG, ...(host === undefined ? {} : { host }), ...options }, resolve);
  });

/** Listens briefly to find a free port. @throws OperatorError when the address cannot be listened on */
export const findPort = async (address: Address): Promise<number> => {
  const server = createServer();
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  server.close();
  await untilClosed(server);
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
export const urlOf = (server: SocketServer, host = 'localhost'): string => {
  const { port } = server.address() as AddressInfo;
  const name = host === '::' || host === '0.0.0.0' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
};
