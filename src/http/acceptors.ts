import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { isWorker } from '../cluster/is-worker.ts';
import { type Address, findPort, listen, untilClosed } from './listen.ts';

/** Sockets that listen at a server's address beside its own. */
export interface Acceptors {
  /** They accept no more. */
  readonly close: () => void;
  /** They are closed, and whoever they accepted has gone. */
  readonly closed: Promise<unknown>;
}

/**
 * Node takes in one connection of a socket that listens each time around its event loop (libuv, since 1.45). With 20 ms of work each time, the last of a
 * thousand clients that come at once would be let in after 20 seconds, whatever becomes of what they ask for.
 */
const SOCKETS = 16;

/** What a server of Node's `http` makes of a connection: lib/_http_server.js. */
const AS_HTTP = { allowHalfOpen: true, noDelay: true };

/**
 * Has a server listen by several sockets, among which the system divides those who come. Workers share the one of their primary, which has nothing
 * else to do than to accept. @throws OperatorError when the address cannot be listened on
 */
export const listenWithAcceptors = async (server: Server, address: Address): Promise<Acceptors> => {
  if (isWorker() || process.platform !== 'linux') {
    await listen(server, address);
    return { close: () => {}, closed: Promise.resolve() };
  }
  // An address that is shared does not tell that another program has it.
  if (address.port !== 0) await findPort(address);
  await listen(server, address, { reusePort: true });
  const { port } = server.address() as AddressInfo;
  const others = Array.from({ length: SOCKETS - 1 }, () =>
    createServer(AS_HTTP, (socket) => server.emit('connection', socket)),
  );
  await Promise.all(others.map((other) => listen(other, { ...address, port }, { reusePort: true })));
  return {
    close: () => {
      for (const other of others) other.close();
    },
    closed: Promise.all(others.map(untilClosed)),
  };
};
