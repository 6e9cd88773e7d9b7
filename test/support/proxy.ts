import net from 'node:net';

/** A wire to the database that can be cut. */
export interface Proxy extends AsyncDisposable {
  /** The database's URL by way of here. */
  readonly url: string;
  /** What the client says next arrives, and the answer to it is lost together with the connection. */
  readonly loseNextAnswer: () => void;
}

export const startProxy = async ({ url }: { readonly url: string }): Promise<Proxy> => {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  let isLosing = false;

  const server = net.createServer((client) => {
    const database = net.connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.end();
      });
    }
    client.on('data', (chunk) => database.write(chunk));
    database.on('data', (chunk) => {
      if (!isLosing) client.write(chunk);
      else client.destroy();
      isLosing = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(address.port) }).href,
    loseNextAnswer: () => {
      isLosing = true;
    },
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
