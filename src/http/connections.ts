import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { responseUnderWay } from './send.ts';

/** The connections of a server. */
export interface Connections {
  /** Whether there are more than may be, and this one came after them: it is told so, and closed. */
  readonly isExcess: (socket: Socket) => boolean;
  /** Cuts the connections on which no request waits for its answer. */
  readonly cutUnanswered: () => void;
  readonly close: () => void;
}

interface Options {
  readonly maxConnections: number;
  /** How long a client may take to read what it asked for. */
  readonly sendTimeoutMs: number;
}

/** So many beyond the bound are told why they are not served; the next are closed unheard. */
const EXCESS_ROOM = 100;

const SWEEPS = 5;

/** To look for idle connections takes time that grows with their number. */
const MAKE_ROOM_INTERVAL_MS = 100;

/** Counts connections, and cuts those whose client does not read its answers: Node waits for such a client for ever. */
export const watchConnections = (server: Server, { maxConnections, sendTimeoutMs }: Options): Connections => {
  const open = new Set<Socket>();
  const excess = new Set<Socket>();
  /** In how many sweeps on end there was something that the client had not taken, and the system had no room for. */
  const stuck = new Map<Socket, number>();

  let madeRoomMs = Number.NEGATIVE_INFINITY;

  /** Whoever keeps a connection without using it makes way for those who come. */
  const makeRoom = (): void => {
    if (performance.now() - madeRoomMs < MAKE_ROOM_INTERVAL_MS) return;
    madeRoomMs = performance.now();
    server.closeIdleConnections();
  };

  // Among workers too, the rest is closed: handed on to the next, a connection that none has room for would go round for ever.
  Object.assign(server, { maxConnections: maxConnections + EXCESS_ROOM, dropMaxConnection: true });
  server.on('connection', (socket) => {
    // By which of several listening sockets it came, the server does not reckon.
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

  // Swept, not timed one by one: this costs an answer nothing, and a client that reads a byte now and then cannot put it off.
  const sweep = (): void => {
    for (const socket of open) {
      if (socket.writableLength === 0) {
        stuck.delete(socket);
        continue;
      }
      const sweeps = (stuck.get(socket) ?? 0) + 1;
      stuck.set(socket, sweeps);
      // By a reset, or the system would go on holding what is unread.
      if (sweeps > SWEEPS) socket.resetAndDestroy();
    }
  };
  const sweeping = setInterval(sweep, sendTimeoutMs / SWEEPS).unref();

  return {
    isExcess: (socket) => excess.size > 0 && open.size > maxConnections && excess.has(socket),
    cutUnanswered: () => {
      for (const socket of open) if (!responseUnderWay(socket)) socket.destroy();
    },
    close: () => clearInterval(sweeping),
  };
};
