import net from 'node:net';

export interface DatabaseLink extends AsyncDisposable {
  /** The database's URL by way of the link. */
  readonly url: string;
  /** Breaks every connection; from now on a new one is refused, or with `silent` taken and never answered. */
  readonly cut: (how?: { readonly silent: boolean }) => Promise<void>;
  readonly restore: () => Promise<void>;
}

/** A TCP link to a database, which can be cut as a network is. */
export const linkTo = async (databaseUrl: string): Promise<DatabaseLink> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  let isSilent = false;

  const track = (socket: net.Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // The other end sees its connection close.
  };
  const server = net.createServer((near) => {
    track(near);
    if (isSilent) return;
    const far = net.connect(Number(target.port), target.hostname);
    track(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await listen(0);
  const { port } = server.address() as net.AddressInfo;
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) });
  return {
    url: url.href,
    cut: async ({ silent } = { silent: false }) => {
      await close();
      isSilent = silent;
      if (silent) await listen(port);
    },
    restore: async () => {
      if (server.listening) await close();
      isSilent = false;
      await listen(port);
    },
    [Symbol.asyncDispose]: close,
  };
};
