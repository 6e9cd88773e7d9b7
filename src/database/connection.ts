import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Settings that the session begins with. As parameters of their own, and not in `options`, which poolers refuse or ignore. */
  readonly startup?: Readonly<Record<string, string>> | undefined;
}

/** Makes the settings of our connections, from a URL of the operator's. */
export const connectionConfig = (url: string): ConnectionConfig => {
  // `?schema=shop` is how Prisma's URLs name a schema.
  const { schema, ...config }: ReturnType<typeof parseIntoClientConfig> & { schema?: string } =
    parseIntoClientConfig(url);
  return {
    ...config,
    application_name: config.application_name ?? 'vitrine',
    startup: {
      // Prisma's adapter writes and reads times without their zone and takes them for UTC, whatever the session's zone is.
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      // Otherwise a backslash in a text of our SQL is the beginning of an escape.
      standard_conforming_strings: 'on',
      ...(schema && { search_path: quotedIfNeeded(schema) }),
    },
    keepAlive: true,
  };
};

/** PostgreSQL folds what is not quoted to small letters. A name that needs no quotes gets none, and compares with what a role or a pooler sets. */
const quotedIfNeeded = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name));

/**
 * The settings that statements rely on, whatever the role or the database sets. They are apart from {@link connectionConfig}, because
 * poolers let no session begin with them: behind a pooler they are set afterwards, and where each transaction may have another session,
 * the role has to set them.
 */
export const SESSION_SETTINGS = {
  // PostgreSQL takes half a second to compile a statement, and does so where an estimate is far too high,
  // as for small tables that were never analysed.
  jit: 'off',
  // A moment has more digits than a double is written with below 1.
  extra_float_digits: '1',
  // A search by words finds all products, and not a random part of them.
  gin_fuzzy_search_limit: '0',
} as const;

/** {@link SESSION_SETTINGS} in SQL. */
export const SET_SESSION = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set ${name} = '${value}'`)
  .join('; ');

/** Inner members of pg's client (lib/client.js of pg 8), which its declarations do not have: docs/fast-path.md says what for. */
interface InnerClient {
  readonly getStartupConf?: () => Record<string, string>;
  readonly processID?: number | null;
}

const inner = (client: pg.Client): InnerClient => client as unknown as InnerClient;

/** The driver's client, which can begin a session with any setting. */
export class DatabaseClient extends pg.Client {
  readonly config: ConnectionConfig;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.config = config;
  }

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

/**
 * The pooler between a connection and the server: `none`; `session` gives the connection a session of its own for as long as it is open;
 * `transaction` gives each transaction any session, so that nothing of a session can be relied on (`LISTEN`, advisory locks, named
 * statements, settings).
 */
export const POOLERS = ['none', 'session', 'transaction'] as const;

export type Pooling = (typeof POOLERS)[number];

/** The host and port of a URL, for messages. */
export const hostOf = (url: string): string => {
  const { host, port } = parseIntoClientConfig(url);
  return `${host || 'localhost'}:${port ?? 5432}`;
};

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

/** Several hosts, as libpq takes them, would need a search for the primary among them, which the driver does not have. */
export const namesOneHost = (value: string): boolean =>
  !/^[^/]*\/\/(?:[^/?#]*@)?[^/?#@]*,[^/?#@]*(?:[/?#]|$)/.test(value);

/** Whether it can be parsed. A `#` is most likely part of a password that was not percent-encoded: the parser would leave out the rest. */
export const isWholeUrl = (value: string): boolean => {
  const parsed = parse(value);
  return !value.includes('#') && (!(parsed instanceof Error) || isOfFile(parsed));
};

/** Whether the certificates and keys that it names can be read. */
export const hasReadableFiles = (value: string): boolean => !isOfFile(parse(value));

const isOfFile = (parsed: object): boolean => parsed instanceof Error && 'syscall' in parsed;

const parse = (url: string): pg.ClientConfig | Error => {
  try {
    return parseIntoClientConfig(url);
  } catch (error) {
    return error as Error;
  }
};
