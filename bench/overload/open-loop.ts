import net from 'node:net';

export interface Sample {
  /** Its status, `hit` or `miss` after it where the response says so; why the connection ended where it did (`ECONNRESET`, `closed`). */
  readonly outcome: string;
  /** From the moment at which the request was due. */
  readonly ms: number;
  /** How much later than due it was sent: what the generator itself adds, on a busy machine. */
  readonly lateMs: number;
  /** Whether the answer came before the run was over. */
  readonly isInTime: boolean;
}

export const isGood = ({ outcome }: Sample): boolean => outcome.startsWith('200');

export interface Run {
  readonly samples: readonly Sample[];
  /** Requests that were due while every connection waited for an answer: not sent, as by a proxy or an app whose connections are all in use. */
  readonly unsent: number;
}

/** Requests that come at their own pace, whatever becomes of those before them, as those of many people do. */
export interface OpenLoop extends Disposable {
  /** Sends so many a second for so long and waits for the answers. */
  readonly run: (perSecond: number, seconds: number) => Promise<Run>;
  /** Keeps so many under way instead: what can be done at most. */
  readonly saturate: (concurrency: number, seconds: number) => Promise<Run>;
}

interface Connection {
  readonly socket: net.Socket;
  answered: ((outcome: string) => void) | undefined;
}

const TICK_MS = 2;
const LENGTH = /content-length: (\d+)/i;
const CACHE_STATUS = /cache-status: [^\r]*(hit|miss)/i;

/** Over connections that stay open, each with one request at a time. */
export const openLoop = (url: string, nextRequest: () => string, maxConnections = 2000): OpenLoop => {
  const free: Connection[] = [];
  const open = new Set<Connection>();

  const take = (): Connection | undefined => {
    for (let next = free.pop(); next; next = free.pop()) if (next.socket.writable) return next;
    if (open.size >= maxConnections) return undefined;
    const opened = connect(url);
    open.add(opened);
    opened.socket.once('close', () => open.delete(opened));
    return opened;
  };

  /** Undefined where no connection is free. */
  const send = (samples: Sample[], dueMs: number, endMs: number): Promise<void> | undefined => {
    const connection = take();
    return (
      connection &&
      new Promise((resolve) => {
        const lateMs = performance.now() - dueMs;
        connection.answered = (outcome) => {
          const nowMs = performance.now();
          samples.push({ outcome, ms: nowMs - dueMs, lateMs, isInTime: nowMs <= endMs });
          free.push(connection);
          resolve();
        };
        connection.socket.write(nextRequest(), 'latin1');
      })
    );
  };

  return {
    run: async (perSecond, seconds) => {
      const samples: Sample[] = [];
      const asked: Promise<void>[] = [];
      let unsent = 0;
      const startMs = performance.now();
      const endMs = startMs + seconds * 1000;
      while (performance.now() < endMs) {
        const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
        while (asked.length + unsent < due) {
          const sent = send(samples, startMs + ((asked.length + unsent + 1) / perSecond) * 1000, endMs);
          if (sent) asked.push(sent);
          else unsent += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      }
      await Promise.all(asked);
      return { samples, unsent };
    },
    saturate: async (concurrency, seconds) => {
      const samples: Sample[] = [];
      const endMs = performance.now() + seconds * 1000;
      const work = async (): Promise<void> => {
        while (performance.now() < endMs) await send(samples, performance.now(), endMs);
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      return { samples, unsent: 0 };
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
  const connection: Connection = { socket, answered: undefined };
  const answer = (outcome: string): void => {
    const { answered } = connection;
    connection.answered = undefined;
    answered?.(outcome);
  };
  let received = '';
  let expected = 0;
  let head = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    if (expected === 0) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      head = received.slice(0, headEnd);
      expected = headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
    }
    if (received.length < expected) return;
    received = '';
    expected = 0;
    answer(`${head.slice(9, 12)} ${CACHE_STATUS.exec(head)?.[1] ?? ''}`.trim());
  });
  let reason = 'closed';
  socket.on('error', ({ code = reason }: NodeJS.ErrnoException) => {
    reason = code;
  });
  socket.on('close', () => answer(reason));
  return connection;
};
