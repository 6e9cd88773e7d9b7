import pg from 'pg';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Settings that the session begins with. As parameters of their own, and not in `options`, which poolers refuse or ignore. */
  readonly startup?: Readonly<Record<string, string>> | undefined;
  /** Where the URL names several servers: connects to the one that is the primary. */
  readonly connectToPrimary?: ConnectToPrimary | undefined;
}

/** @param open opens the connection to the host and port that were set on the client */
export type ConnectToPrimary = (client: DatabaseClient, open: () => Promise<unknown>) => Promise<void>;

/** Inner members of pg's client (lib/client.js of pg 8), which its declarations do not have: docs/fast-path.md says what for. */
interface InnerClient {
  readonly getStartupConf?: () => Record<string, string>;
  readonly processID?: number | null;
  readonly readyForQuery?: boolean;
}

const inner = (client: pg.Client): InnerClient => client as unknown as InnerClient;

/** Whether a statement is under way. Always false where the driver has no such member any more. */
export const isBusy = (client: pg.Client): boolean => inner(client).readyForQuery === false;

/** The driver's client, which can begin a session with any setting, and find its server among several. */
export class DatabaseClient extends pg.Client {
  readonly config: ConnectionConfig;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.config = config;
  }

  // One signature stands for the two overloads that the driver declares.
  override connect = ((callback?: (error: unknown) => void): Promise<pg.Client> | undefined => {
    const { connectToPrimary } = this.config;
    if (!connectToPrimary) return callback ? void super.connect(callback) : super.connect();
    const connecting = connectToPrimary(this, () => super.connect()).then(() => this);
    if (!callback) return connecting;
    connecting.then(() => callback(null), callback);
    return undefined;
  }) as pg.Client['connect'];

  /** Called by the driver as it connects. */
  getStartupConf(): Record<string, string> {
    return { ...inner(pg.Client.prototype).getStartupConf?.call(this), ...this.config.startup };
  }

  /** The server process that was named as the session began; a pooler names something else. Null where the driver has no such member any more. */
  get namedPid(): number | null {
    return inner(this).processID ?? null;
  }
}

/** Closes a connection at once: to end it in an orderly way would be to wait for a server that may not be there. */
export const abandon = (client: pg.Client): void => {
  client.removeAllListeners();
  client.on('error', () => {});
  client.connection.stream.destroy();
};

/**
 * Opens a connection, uses it and closes it.
 * @param timeoutMs for connecting, and for each statement; undefined: unlimited
 * @throws what opening it throws, and what the work does
 */
export const withConnection = async <Value>(
  config: ConnectionConfig,
  timeoutMs: number | undefined,
  work: (client: DatabaseClient) => Promise<Value>,
): Promise<Value> => {
  const limits = timeoutMs && { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const client = new DatabaseClient({ ...config, ...limits });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.connection.stream.destroy();
  }
};

/** The row of a query that always has one. */
export const oneRow = async <Row extends pg.QueryResultRow>(
  client: pg.ClientBase | pg.Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> => {
  const [row] = (await client.query<Row>({ text, values: [...values] })).rows;
  if (!row) throw new Error(`no row from: ${text}`);
  return row;
};
