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
export const watchConnections = (server: Server, { maxConnections, sendTimeoutMs }: Options) => {
  const open = new Set<Socket>();
  const excess = new Set<Socket>();
  /** In how many sweeps in a row a connection had bytes that the client did not read, and the system could not buffer. */
  const stuck = new Map<Socket, number>();

  const pauses = new Map<Socket, number>();

  const resume = (socket: Socket): void => {
    const left = (pauses.get(socket) ?? 0) - 1;
    if (left > 0) {
      pauses.set(socket, left);
      return;
    }
    pauses.delete(socket);
    socket.off('resume', pauseAgain);
    socket.resume();
  };

  let madeRoomMs = Number.NEGATIVE_INFINITY;

  /** Idle connections are closed in favour of new ones: `closeIdleConnections` of Node 26 closes the new ones, too. */
  const makeRoom = (): void => {
    if (performance.now() - madeRoomMs < MAKE_ROOM_INTERVAL_MS) return;
    madeRoomMs = performance.now();
    for (const socket of open) if (waitsForNextRequest(socket)) socket.destroy();
  };

  // Workers close the rest too: passed on, a connection that no worker has room for would go round for ever.
  Object.assign(server, { maxConnections: maxConnections + EXCESS_ROOM, dropMaxConnection: true });
  server.on('connection', (socket) => {
    // The server's own limit does not count the connections of the other listening sockets.
    if (open.size >= maxConnections + EXCESS_ROOM) {
      socket.destroy();
      return;
    }
    open.add(socket);
    if (open.size > maxConnections) {
      excess.add(socket);
      makeRoom();
    }
    socket.once('close', () => {
      open.delete(socket);
      excess.delete(socket);
      stuck.delete(socket);
    });
  });

  // One sweep rather than a timer for each: it costs a response nothing, and a client that reads a byte now and then cannot put it off.
  const sweep = (): void => {
    for (const socket of open) {
      if (socket.writableLength === 0) {
        stuck.delete(socket);
        continue;
      }
      const sweeps = (stuck.get(socket) ?? 0) + 1;
      stuck.set(socket, sweeps);
      // By a reset, or the system would keep the unread bytes.
      if (sweeps > SWEEPS) socket.resetAndDestroy();
    }
  };
  const sweeping = setInterval(sweep, sendTimeoutMs / SWEEPS).unref();

  return {
    /** Whether there are too many, and this one came after the limit was reached: it gets a 503 and is closed. */
    isExcess: (socket: Socket): boolean => excess.size > 0 && open.size > maxConnections && excess.has(socket),
    /** Reads no more of a connection: without it a client that waits for no response could send any number of requests, to be held in memory. */
    pauseUntil: (socket: Socket, settled: Promise<unknown>): void => {
      const count = pauses.get(socket) ?? 0;
      pauses.set(socket, count + 1);
      if (count === 0) socket.on('resume', pauseAgain);
      socket.pause();
      void settled.finally(() => resume(socket));
    },
    /** Cuts the connections on which no request waits for its response. */
    cutUnanswered: (): void => {
      for (const socket of open) if (!responseUnderWay(socket)) socket.destroy();
    },
    close: (): void => clearInterval(sweeping),
  };
};

/** After its last response Node gives a connection `keepAliveTimeout`, until the head of the next request is there; at other times it has no timeout. */
const waitsForNextRequest = ({ timeout = 0 }: Socket): boolean => timeout > 0;

/** Node resumes a connection after each request that it has read of it. */
function pauseAgain(this: Socket): void {
  this.pause();
}
