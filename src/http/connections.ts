import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { responseUnderWay } from './send.ts';

interface Options {
  readonly maxConnections: number;
  /** How long a client may take to read its response. */
  readonly sendTimeoutMs: number;
}

const SWEEPS = 5;

/**
 * Knows the connections, and cuts those whose client does not read its responses: Node waits for such a client for ever. Past the limit Node closes
 * new ones, and idle ones make room for those to come.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  /** In how many sweeps in a row a connection had bytes that the client did not read, and the system could not buffer. */
  readonly #stuck = new Map<Socket, number>();
  readonly #sweeping: NodeJS.Timeout;
  /** Whether a connection was closed for want of room since the last sweep. */
  #wasFull = false;

  constructor(server: Server, { maxConnections, sendTimeoutMs }: Options) {
    // Workers close the rest too: passed on, a connection that no worker has room for would go round for ever.
    Object.assign(server, { maxConnections, dropMaxConnection: true });
    server.on('connection', (socket) => this.#add(socket));
    server.on('drop', () => {
      this.#wasFull = true;
    });
    this.#sweeping = setInterval(() => this.#sweep(), sendTimeoutMs / SWEEPS).unref();
  }

  /** Cuts the connections on which no request waits for its response. */
  cutUnanswered(): void {
    for (const socket of this.#open) if (!responseUnderWay(socket)) socket.destroy();
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#stuck.delete(socket);
    });
  }

  // One sweep rather than a timer for each: it costs a response nothing, and a client that reads a byte now and then cannot put it off.
  #sweep(): void {
    for (const socket of this.#open) {
      if (socket.writableLength > 0) this.#countStuck(socket);
      else {
        this.#stuck.delete(socket);
        // `closeIdleConnections` of Node 26 closes the new ones, too.
        if (this.#wasFull && waitsForNextRequest(socket)) socket.destroy();
      }
    }
    this.#wasFull = false;
  }

  #countStuck(socket: Socket): void {
    const sweeps = (this.#stuck.get(socket) ?? 0) + 1;
    this.#stuck.set(socket, sweeps);
    // By a reset, or the system would keep the unread bytes.
    if (sweeps > SWEEPS) socket.resetAndDestroy();
  }
}

/** After its last response a connection has the timeout `keepAliveTimeout`, until the head of the next request is there; else it has none. */
const waitsForNextRequest = ({ timeout = 0 }: Socket): boolean => timeout > 0;
