import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { OperatorError } from '../errors.ts';

/**
 * Connections that may wait to be accepted; the system has a bound of its own (`net.core.somaxconn`). Past it the system drops what a client sends to connect, and the client
 * tries again after 1, 3 and 7 seconds: of Node's 511, a thousand clients that come while the event loop is busy find out.
 */
const BACKLOG = 4096;

export interface Address {
  /** 0 for any that is free. */
  readonly port: number;
  /** Undefined for every address of this machine. */
  readonly host: string | undefined;
}

/** Resolves once nobody listens or is connected any more. */
export const untilClosed = (server: Server): Promise<void> => new Promise((resolve) => server.once('close', resolve));

/** @throws OperatorError when the address cannot be listened on */
export const listen = (
  server: Server,
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

/** Listens for a moment only, and gives the port. @throws OperatorError when the address cannot be listened on */
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
export const urlOf = (server: Server, host = 'localhost'): string => {
  const { port } = server.address() as AddressInfo;
  const name = host === '::' || host === '0.0.0.0' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
};
