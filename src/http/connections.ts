import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { responseUnderWay } from './send.ts';

const SWEEPS = 5;

/** A busy process accepts for so long; with an empty queue it ends at once. */
const MAX_ACCEPT_WAITING_MS = 2000;

/**
 * Knows the connections, and cuts those whose client does not read its responses: Node waits for such a client for ever. Past the limit Node closes
 * new ones, and idle ones make room for those to come.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  #accepted = 0;
  /** In how many sweeps in a row a connection had bytes that the client did not read, and the system could not buffer. */
  readonly #stuck = new Map<Socket, number>();
  readonly #sweeping: NodeJS.Timeout;
  /** Whether a connection was closed for want of room since the last sweep. */
  #wasFull = false;

  constructor(server: Server, { maxConnections, sendTimeoutMs }: Pick<Config, 'maxConnections' | 'sendTimeoutMs'>) {
    // Workers close the rest too: passed on, a connection that no worker has room for would go round for ever.
    Object.assign(server, { maxConnections, dropMaxConnection: true });
    server.on('connection', (socket) => this.#add(socket));
    server.on('drop', () => {
      this.#wasFull = true;
    });
    this.#sweeping = setInterval(() => this.#sweep(), sendTimeoutMs / SWEEPS).unref();
  }

  /**
   * Accepts the connections that wait in the queue of the socket: the system resets those that are left there when the socket closes.
   * Node accepts one in each turn of its event loop. Resolves when the queue is empty, or after two seconds.
   */
  async acceptWaiting(): Promise<void> {
    const deadlineMs = performance.now() + MAX_ACCEPT_WAITING_MS;
    // The turn of the event loop that is under way may have passed the socket already.
    await nextTurn();
    let before: number;
    do {
      before = this.#accepted;
      await nextTurn();
    } while (this.#accepted > before && performance.now() < deadlineMs);
  }

  /** Cuts the connections on which no request waits for its response. */
  cutUnanswered(): void {
    for (const socket of this.#open) if (!responseUnderWay(socket)) socket.destroy();
  }

  close(): void {
    clearInterval(this.#sweeping);
  }

  #add(socket: Socket): void {
    this.#accepted += 1;
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
