import net from 'node:net';

/** A keep-alive client that asks again as soon as it is answered, until an answer says `Connection: close`. */
export interface BusyClient {
  /** Resolves after so many answers. */
  readonly answered: (count: number) => Promise<void>;
  /** Resolves when the connection is over. */
  readonly ended: Promise<{
    readonly bodies: readonly string[];
    /** Whether the last answer said that the connection ends with it. */
    readonly isTold: boolean;
    /** Why the connection broke; undefined where it was closed in order. */
    readonly error: Error | undefined;
  }>;
}

/** @param request the bytes of one request */
export const startBusyClient = (url: string, request: string): BusyClient => {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname).setNoDelay();
  const bodies: string[] = [];
  const waiting = new Map<() => void, number>();
  let buffered = '';
  let isTold = false;
  let failure: Error | undefined;

  socket.setEncoding('latin1');
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('data', (chunk: string) => {
    buffered += chunk;
    const headEnd = buffered.indexOf('\r\n\r\n') + 4;
    if (headEnd < 4) return;
    const head = buffered.slice(0, headEnd);
    const end = headEnd + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (buffered.length < end) return;
    bodies.push(buffered.slice(headEnd, end));
    buffered = buffered.slice(end);
    isTold = /\r\nconnection: close\r\n/i.test(head);
    for (const [resolve, count] of waiting) if (bodies.length >= count) resolve();
    if (!isTold) socket.write(request);
  });
  socket.write(request);

  return {
    answered: (count) =>
      new Promise((resolve) => {
        if (bodies.length >= count) resolve();
        else waiting.set(resolve, count);
      }),
    ended: new Promise((resolve) => {
      socket.once('close', () => resolve({ bodies, isTold, error: failure }));
    }),
  };
};
