import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a server and PostgreSQL and counts what passes: the same for every driver, whatever it tells of itself. */
export interface StatementProxy extends Disposable {
  /** The database behind the proxy. */
  readonly url: string;
  /** Statements executed so far. */
  readonly count: () => number;
}

/**
 * Execute of the extended protocol, and a simple Query. Every message but the first of a connection begins with its type and a length that
 * counts itself: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
const STATEMENT_TYPES = new Set(['E', 'Q'].map((type) => type.charCodeAt(0)));

const createMessageCounter = (onStatement: () => void): ((chunk: Buffer) => void) => {
  let pending = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const typeBytes = isStarted ? 1 : 0;
      if (pending.length < typeBytes + 4) return;
      const end = typeBytes + pending.readInt32BE(typeBytes);
      if (pending.length < end) return;
      if (isStarted && STATEMENT_TYPES.has(pending[0] ?? 0)) onStatement();
      isStarted = true;
      pending = pending.subarray(end);
    }
  };
};

/** @param databaseUrl without TLS, which would hide the messages */
export const startStatementProxy = async (databaseUrl: string): Promise<StatementProxy> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let statements = 0;
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) });
    const countStatements = createMessageCounter(() => {
      statements += 1;
    });
    client.on('data', countStatements);
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.setNoDelay();
      socket.on('error', () => other.destroy());
      socket.on('close', () => sockets.delete(socket));
      sockets.add(socket);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    count: () => statements,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
