import net from 'node:net';

/** A wire to the database that loses what it says of a commit. */
export interface LossyWire extends AsyncDisposable {
  /** The database's URL by way of here. */
  readonly url: string;
  /** From now on every so-manieth answer to a matching statement is lost, and its connection with it; 0: none. */
  readonly loseEvery: (count: number) => void;
  /** How many were lost. */
  readonly lost: () => number;
}

/**
 * A statement is executed and committed before the server says so: what is lost here is done.
 * @param statement part of what the client sends, such as the name of a prepared statement
 */
export const startLossyWire = async ({ url }: { readonly url: string }, statement: string): Promise<LossyWire> => {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  let every = 0;
  let seen = 0;
  let lost = 0;

  const server = net.createServer((client) => {
    const database = net.connect(Number(target.port), target.hostname);
    let isAsked = false;
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {}); // The other end sees its connection close.
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => {
      isAsked ||= chunk.includes(statement);
      database.write(chunk);
    });
    database.on('data', (chunk) => {
      const isAnswer = isAsked;
      isAsked = false;
      if (isAnswer) seen += 1;
      if (isAnswer && every > 0 && seen % every === 0) {
        lost += 1;
        client.destroy();
      } else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;

  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    loseEvery: (count) => {
      every = count;
    },
    lost: () => lost,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
