import net from 'node:net';

export interface Sample {
  /** 0 where the connection ended. */
  readonly status: number;
  /** From the moment at which the request was due, whether or not it could be sent then. */
  readonly ms: number;
  /** Whether the answer came before the run was over. */
  readonly isInTime: boolean;
}

/** Requests that come at their own pace, whatever becomes of those before them, as those of many people do. */
export interface OpenLoop extends Disposable {
  /** Sends so many a second for so long and waits for the answers. */
  readonly run: (perSecond: number, seconds: number) => Promise<Sample[]>;
  /** Keeps so many under way instead: what can be done at most. */
  readonly saturate: (concurrency: number, seconds: number) => Promise<Sample[]>;
}

interface Connection {
  readonly socket: net.Socket;
  readonly waiting: ((status: number) => void)[];
}

/** With more requests under way than this, some wait behind others on one connection. */
const MAX_CONNECTIONS = 2000;
const TICK_MS = 2;
const LENGTH = /content-length: (\d+)/i;

/** Over connections that stay open: none carries a second request before it has answered the first, as long as there may be more. */
export const openLoop = (url: string, nextRequest: () => string): OpenLoop => {
  const free: Connection[] = [];
  const open: Connection[] = [];
  let turn = 0;

  const take = (): Connection => {
    for (let next = free.pop(); next; next = free.pop()) if (next.socket.writable) return next;
    turn += 1;
    const shared = open.length < MAX_CONNECTIONS ? undefined : open[turn % open.length];
    if (shared) return shared;
    const opened = connect(url);
    open.push(opened);
    opened.socket.once('close', () => open.splice(open.indexOf(opened), 1));
    return opened;
  };

  const send = (samples: Sample[], dueMs: number, endMs: number): Promise<void> =>
    new Promise((resolve) => {
      const connection = take();
      connection.waiting.push((status) => {
        const nowMs = performance.now();
        samples.push({ status, ms: nowMs - dueMs, isInTime: nowMs <= endMs });
        if (connection.waiting.length === 0) free.push(connection);
        resolve();
      });
      connection.socket.write(nextRequest(), 'latin1');
    });

  return {
    run: async (perSecond, seconds) => {
      const samples: Sample[] = [];
      const asked: Promise<void>[] = [];
      const startMs = performance.now();
      const endMs = startMs + seconds * 1000;
      while (performance.now() < endMs) {
        const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
        while (asked.length < due) asked.push(send(samples, startMs + (asked.length / perSecond) * 1000, endMs));
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      }
      await Promise.all(asked);
      return samples;
    },
    saturate: async (concurrency, seconds) => {
      const samples: Sample[] = [];
      const endMs = performance.now() + seconds * 1000;
      const work = async (): Promise<void> => {
        while (performance.now() < endMs) await send(samples, performance.now(), endMs);
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      return samples;
    },
    [Symbol.dispose]: () => {
      for (const { socket } of open) socket.destroy();
    },
  };
};

const connect = (url: string): Connection => {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.setNoDelay();
  const waiting: Connection['waiting'] = [];
  let rest = '';
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = rest.slice(0, headEnd);
      const end = headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (rest.length < end) return;
      rest = rest.slice(end);
      waiting.shift()?.(Number(head.slice(9, 12)));
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const tell of waiting.splice(0)) tell(0);
  });
  return { socket, waiting };
};
