import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { hasCode } from './failures.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Settings that the session begins with. As parameters of their own, and not in `options`, which poolers refuse or ignore. */
  readonly startup?: Readonly<Record<string, string>> | undefined;
  /** Where the URL names several hosts: finds the one to connect to. */
  readonly primary?: PrimaryHost | undefined;
}

/**
 * Makes the settings of our connections, from a URL of the operator's. Where the URL names several hosts, all connections that are opened
 * with one result go to the same host.
 */
export const connectionConfig = (url: string): ConnectionConfig => {
  const [config = {}, ...others] = urlsOf(url).map(configOf);
  return others.length === 0 ? config : { ...config, primary: new PrimaryHost([config, ...others]) };
};

const configOf = (url: string): ConnectionConfig => {
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

/** The driver's client, which can begin a session with any setting, and find its server among several. */
export class DatabaseClient extends pg.Client {
  readonly config: ConnectionConfig;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.config = config;
  }

  // One signature stands for the two overloads that the driver declares.
  override connect = ((callback?: (error: unknown) => void): Promise<pg.Client> | undefined => {
    const { primary } = this.config;
    const connecting = primary ? primary.connect(this, () => super.connect()) : super.connect();
    return callback ? void connecting.then(() => callback(null), callback) : connecting;
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

/**
 * The pooler between a connection and the server: `none`; `session` gives the connection a session of its own for as long as it is open;
 * `transaction` gives each transaction any session, so that nothing of a session can be relied on (`LISTEN`, advisory locks, named
 * statements, settings).
 */
export const POOLERS = ['none', 'session', 'transaction'] as const;

export type Pooling = (typeof POOLERS)[number];

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** The URL of each host that a URL names, in their order: `postgresql://a:5433,b/shop` is two, as libpq has it. */
export const urlsOf = (url: string): readonly string[] => {
  const [, before = '', hosts = '', after = ''] = AUTHORITY.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
};

/** The hosts and ports of a URL, for messages. */
export const hostsOf = (url: string): string =>
  urlsOf(url)
    .map((each) => {
      const { host, port } = parseIntoClientConfig(each);
      return `${host || 'localhost'}:${port ?? 5432}`;
    })
    .join(' or ');

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

/** Whether its target_session_attrs, where it has one, is for a server that takes writes. */
export const asksForWrites = (value: string): boolean =>
  !/[?&]target_session_attrs=(?!(?:read-write|primary)(?:&|$))/.test(value);

/** Whether it can be parsed. A `#` is most likely part of a password that was not percent-encoded: the parser would leave out the rest. */
export const isWholeUrl = (value: string): boolean =>
  !value.includes('#') &&
  urlsOf(value).every((url) => {
    const parsed = parse(url);
    // Each of several hosts must have a name.
    return parsed instanceof Error ? isOfFile(parsed) : url === value || Boolean(parsed.host);
  });

/** Whether the certificates and keys that it names can be read. */
export const hasReadableFiles = (value: string): boolean => !urlsOf(value).map(parse).some(isOfFile);

const isOfFile = (parsed: object): boolean => parsed instanceof Error && 'syscall' in parsed;

const parse = (url: string): pg.ClientConfig | Error => {
  try {
    return parseIntoClientConfig(url);
  } catch (error) {
    return error as Error;
  }
};

type Host = Pick<pg.Client, 'host' | 'port'>;

const PROBE_TIMEOUT_MS = 1000;

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/**
 * Finds the primary among several servers, which the driver does not: the first that answers and takes writes. It is remembered until a connection
 * to it fails or ends. All connections are to the same server: on one to a former primary its old rows would be read, while notifications
 * come from the new one.
 */
class PrimaryHost {
  readonly #candidates: readonly pg.ClientConfig[];
  readonly #open = new Set<pg.Client>();
  #primary: Promise<Host> | undefined;

  /** @param candidates the settings of a connection to each host */
  constructor(candidates: readonly pg.ClientConfig[]) {
    this.#candidates = candidates;
  }

  /** @param open opens the connection to the host and port that were set on the client */
  async connect(client: pg.Client, open: () => Promise<pg.Client>): Promise<pg.Client> {
    this.#primary ??= this.#find();
    const primary = this.#primary;
    const forget = (): void => {
      if (this.#primary === primary) this.#primary = undefined;
    };
    try {
      // Declared as read-only, and read when it connects.
      Object.assign(client, await primary);
      // The pool has given the connection up meanwhile.
      if (client.connection.stream.destroyed) throw new Error('timeout exceeded when trying to connect');
      this.#open.add(client);
      client.connection.once('end', () => {
        this.#open.delete(client);
        forget();
      });
      return await open();
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Connections to another host are ended. */
  async #find(): Promise<Host> {
    const { host, port } = await Promise.any(this.#candidates.map(writableHost)).catch(throwMostTelling);
    for (const client of this.#open) {
      if (client.host !== host || client.port !== port)
        client.connection.stream.destroy(new Error('Connection terminated: another server is the primary'));
    }
    return { host, port };
  }
}

const writableHost = (candidate: pg.ClientConfig): Promise<Host> =>
  withConnection(candidate, PROBE_TIMEOUT_MS, async (client) => {
    // That of a standby is on.
    const { setting } = await oneRow(client, `select current_setting('transaction_read_only') as setting`);
    if (setting === 'on') throw Object.assign(new Error('none of the hosts takes writes'), { code: READ_ONLY });
    return client;
  });

/** The error of a host that does not answer says more than the refusal of one that is no primary. */
const throwMostTelling = ({ errors }: AggregateError): never => {
  throw errors.find((error) => !hasCode(error, READ_ONLY)) ?? errors[0];
};
