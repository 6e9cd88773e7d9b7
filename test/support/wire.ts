import { once } from 'node:events';
import net from 'node:net';

/** A TCP server before a database, that hands on what it likes. */
export interface Forwarder extends AsyncDisposable {
  /** The database's URL by way of here. */
  readonly url: string;
  /** Breaks every connection. */
  readonly cut: () => void;
  /** Breaks every connection, and new ones are refused. */
  readonly refuse: () => Promise<void>;
  /** New connections are taken again, at the same address. */
  readonly accept: () => Promise<void>;
}

/** @param database may get another URL meanwhile: new connections go there @param join connects the two ends of a connection */
export const forward = async (
  database: { readonly url: string },
  join: (client: net.Socket, database: net.Socket) => void,
): Promise<Forwarder> => {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const target = new URL(database.url);
    const server = net.connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {}); // The other end sees its connection close.
    }
    join(client, server);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const refuse = async (): Promise<void> => {
    const closed = server.listening && once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as net.AddressInfo;
  return {
    url: Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(port) }).href,
    cut,
    refuse,
    accept: async () => {
      if (!server.listening) await listen(port);
    },
    [Symbol.asyncDispose]: refuse,
  };
};

/** A name that leads to one server after another, as a virtual address does; what still leads to the former one is cut off. */
export const nameOf = async (server: { readonly url: string }) => {
  const target = { url: server.url };
  const {
    url,
    cut,
    [Symbol.asyncDispose]: dispose,
  } = await forward(target, (client, database) => {
    client.pipe(database).pipe(client);
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  return {
    url,
    moveTo: (other: { readonly url: string }): void => {
      target.url = other.url;
      cut();
    },
    [Symbol.asyncDispose]: dispose,
  };
};

/** A wire to the database on which everything can stand still without anybody being told, as when a network falls silent. */
export interface Wire extends Omit<Forwarder, 'accept'> {
  /** From now on nothing passes, and every connection stays open; new ones are taken too. */
  readonly freeze: () => void;
  /** All is well again, and what was held back passes, in its order. */
  readonly restore: () => Promise<void>;
  /** Nothing passes ever again on the connections that are open now; new ones are as good as any. */
  readonly forget: () => void;
  /** How often a text has been sent to the database. */
  readonly timesSent: (text: string) => number;
  /** Milliseconds since anything was sent to the database. */
  readonly idleMs: () => number;
  /** Connections that clients hold open. */
  readonly connectionCount: () => number;
}

export const wireTo = async (database: { readonly url: string }): Promise<Wire> => {
  const held: (() => void)[] = [];
  let sent = '';
  let lastSentMs = performance.now();
  let isFrozen = false;
  /** Connections that were opened before the last `forget` are of an older generation. */
  let generation = 0;
  let connections = 0;

  const { accept, ...forwarder } = await forward(database, (client, server) => {
    const own = generation;
    connections += 1;
    const pass = (action: () => void): void => {
      if (own !== generation) return;
      if (isFrozen) held.push(() => pass(action));
      else action();
    };
    client.on('data', (chunk) => {
      sent += chunk.toString('latin1');
      lastSentMs = performance.now();
      pass(() => server.write(chunk));
    });
    server.on('data', (chunk) => pass(() => client.write(chunk)));
    client.on('close', () => {
      connections -= 1;
      pass(() => server.destroy());
    });
    server.on('close', () => pass(() => client.destroy()));
  });

  return {
    ...forwarder,
    freeze: () => {
      isFrozen = true;
    },
    restore: async () => {
      isFrozen = false;
      for (const action of held.splice(0)) action();
      await accept();
    },
    forget: () => {
      generation += 1;
    },
    timesSent: (text) => sent.split(text).length - 1,
    idleMs: () => performance.now() - lastSentMs,
    connectionCount: () => connections,
  };
};

/** A wire to the database that loses what it says of a commit. */
export interface LossyWire extends Forwarder {
  /** From now on every so-manieth answer to a matching statement is lost, and its connection with it; 0: none. */
  readonly loseEvery: (count: number) => void;
  /** How many were lost. */
  readonly lost: () => number;
}

/**
 * A statement is executed and committed before the server says so: what is lost here is done.
 * @param statement part of what the client sends, such as the name of a prepared statement
 */
export const startLossyWire = async (database: { readonly url: string }, statement: string): Promise<LossyWire> => {
  let every = 0;
  let seen = 0;
  let lost = 0;
  const forwarder = await forward(database, (client, server) => {
    let isAsked = false;
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.on('data', (chunk) => {
      isAsked ||= chunk.includes(statement);
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      const isAnswer = isAsked;
      isAsked = false;
      if (isAnswer) seen += 1;
      if (isAnswer && every > 0 && seen % every === 0) {
        lost += 1;
        client.destroy();
      } else client.write(chunk);
    });
  });
  return {
    ...forwarder,
    loseEvery: (count) => {
      every = count;
    },
    lost: () => lost,
  };
};
