import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { responseUnderWay } from './send.ts';

interface Options {
  readonly maxConnections: number;
  /** How long a client may take to read its response. */
  readonly sendTimeoutMs: number;
}

/** So many connections past the limit are refused with a reason; further ones are closed at once. */
const EXCESS_ROOM = 100;

const SWEEPS = 5;

/** Looking for idle connections takes time in proportion to their number. */
const MAKE_ROOM_INTERVAL_MS = 100;

/** Counts connections, and cuts those whose client does not read its responses: Node waits for such a client for ever. */
export class Connections {
  readonly #maxConnections: number;
  readonly #open = new Set<Socket>();
  readonly #excess = new Set<Socket>();
  /** In how many sweeps in a row a connection had bytes that the client did not read, and the system could not buffer. */
  readonly #stuck = new Map<Socket, number>();
  readonly #pauses = new Map<Socket, number>();
  readonly #sweeping: NodeJS.Timeout;
  #madeRoomMs = Number.NEGATIVE_INFINITY;

  constructor(server: Server, { maxConnections, sendTimeoutMs }: Options) {
    this.#maxConnections = maxConnections;
    // Workers close the rest too: passed on, a connection that no worker has room for would go round for ever.
    Object.assign(server, { maxConnections: maxConnections + EXCESS_ROOM, dropMaxConnection: true });
    server.on('connection', (socket) => this.#add(socket));
    this.#sweeping = setInterval(() => this.#sweep(), sendTimeoutMs / SWEEPS).unref();
  }

  /** Whether there are too many, and this one came after the limit was reached: it gets a 503 and is closed. */
  isExcess(socket: Socket): boolean {
    return this.#excess.size > 0 && this.#open.size > this.#maxConnections && this.#excess.has(socket);
  }

  /** Reads no more of a connection: without it a client that waits for no response could send any number of requests, to be held in memory. */
  pauseUntil(socket: Socket, settled: Promise<unknown>): void {
    const count = this.#pauses.get(socket) ?? 0;
    this.#pauses.set(socket, count + 1);
    if (count === 0) socket.on('resume', pauseAgain);
    socket.pause();
    void settled.finally(() => this.#resume(socket));
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
    if (this.#open.size > this.#maxConnections) {
      this.#excess.add(socket);
      this.#makeRoom();
    }
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#excess.delete(socket);
      this.#stuck.delete(socket);
    });
  }

  /** Idle connections are closed in favour of new ones: `closeIdleConnections` of Node 26 closes the new ones, too. */
  #makeRoom(): void {
    if (performance.now() - this.#madeRoomMs < MAKE_ROOM_INTERVAL_MS) return;
    this.#madeRoomMs = performance.now();
    for (const socket of this.#open) if (waitsForNextRequest(socket)) socket.destroy();
  }

  // One sweep rather than a timer for each: it costs a response nothing, and a client that reads a byte now and then cannot put it off.
  #sweep(): void {
    for (const socket of this.#open) {
      if (socket.writableLength === 0) {
        this.#stuck.delete(socket);
        continue;
      }
      const sweeps = (this.#stuck.get(socket) ?? 0) + 1;
      this.#stuck.set(socket, sweeps);
      // By a reset, or the system would keep the unread bytes.
      if (sweeps > SWEEPS) socket.resetAndDestroy();
    }
  }

  #resume(socket: Socket): void {
    const left = (this.#pauses.get(socket) ?? 0) - 1;
    if (left > 0) {
      this.#pauses.set(socket, left);
      return;
    }
    this.#pauses.delete(socket);
    socket.off('resume', pauseAgain);
    socket.resume();
  }
}

/** After its last response a connection has the timeout `keepAliveTimeout`, until the head of the next request is there; else it has none. */
const waitsForNextRequest = ({ timeout = 0 }: Socket): boolean => timeout > 0;

/** Node resumes a connection after each request that it has read of it. */
function pauseAgain(this: Socket): void {
  this.pause();
}
