import net from 'node:net';

/** A wire to the database on which no notification passes, as behind a pooler in transaction mode. */
export interface DeafWire extends AsyncDisposable {
  /** The database's URL by way of the wire. */
  readonly url: string;
}

const NOTIFICATION_RESPONSE = 'A'.charCodeAt(0);

export const deafWireTo = async ({ url }: { readonly url: string }): Promise<DeafWire> => {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const database = net.connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
    client.on('data', (chunk) => database.write(chunk));
    // A type and a length before each message: https://www.postgresql.org/docs/current/protocol-overview.html
    let rest = Buffer.alloc(0);
    database.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, rest.readUInt32BE(1) + 1);
        if (message[0] !== NOTIFICATION_RESPONSE) client.write(message);
        rest = rest.subarray(message.length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
