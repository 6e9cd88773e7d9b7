import net from 'node:net';

/** A wire to the database on which everything can stand still without anybody being told, as when a network falls silent. */
export interface Wire extends AsyncDisposable {
  /** The database's URL by way of the wire. */
  readonly url: string;
  /** From now on nothing passes, and every connection stays open; new ones are taken too. */
  readonly freeze: () => void;
  /** Every connection is broken, and new ones are as soon as they are taken. */
  readonly refuse: () => void;
  /** All is well again, and what was held back passes, in its order. */
  readonly thaw: () => void;
  /** Nothing passes ever again on the connections that are open now; new ones are as good as any. */
  readonly forget: () => void;
  /** How often a text has been sent to the database. */
  readonly timesSent: (text: string) => number;
  /** Milliseconds since anything was sent to the database. */
  readonly idleMs: () => number;
  /** Connections that are open at the near end. */
  readonly connectionCount: () => number;
}

export const wireTo = async ({ url }: { readonly url: string }): Promise<Wire> => {
  const target = new URL(url);
  const near = new Set<net.Socket>();
  const far = new Set<net.Socket>();
  const forgotten = new WeakSet<net.Socket>();
  const held: (() => void)[] = [];
  let sent = '';
  let lastSentMs = performance.now();
  let isFrozen = false;
  let isRefusing = false;

  const track = (socket: net.Socket, sockets: Set<net.Socket>): void => {
    sockets.add(socket);
    socket.setNoDelay();
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // The other end sees its connection close.
  };

  const server = net.createServer((client) => {
    if (isRefusing) {
      client.destroy();
      return;
    }
    const database = net.connect(Number(target.port), target.hostname);
    track(client, near);
    track(database, far);
    const pass = (action: () => void): void => {
      if (forgotten.has(client)) return;
      if (isFrozen) held.push(() => pass(action));
      else action();
    };
    client.on('data', (chunk) => {
      sent += chunk.toString('latin1');
      lastSentMs = performance.now();
      pass(() => database.write(chunk));
    });
    database.on('data', (chunk) => pass(() => client.write(chunk)));
    client.on('close', () => pass(() => database.destroy()));
    database.on('close', () => pass(() => client.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;

  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    freeze: () => {
      isFrozen = true;
    },
    refuse: () => {
      isRefusing = true;
      for (const socket of [...near, ...far]) socket.destroy();
    },
    thaw: () => {
      isFrozen = false;
      isRefusing = false;
      for (const action of held.splice(0)) action();
    },
    forget: () => {
      for (const client of near) forgotten.add(client);
    },
    timesSent: (text) => sent.split(text).length - 1,
    idleMs: () => performance.now() - lastSentMs,
    connectionCount: () => near.size,
    [Symbol.asyncDispose]: () => {
      for (const socket of [...near, ...far]) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
