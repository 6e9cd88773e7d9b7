import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { type ConnectionConfig, type ConnectToPrimary, type DatabaseClient, oneRow, withConnection } from './client.ts';

/**
 * Makes the settings of our connections, from a URL of the operator's. Where the URL names several hosts, all connections that are opened
 * with one result go to the same host.
 */
export const connectionConfig = (url: string): ConnectionConfig => {
  const [config = {}, ...others] = urlsOf(url).map(configOf);
  if (others.length === 0) return config;
  const hosts = [config, ...others].map(({ host = 'localhost', port = 5432 }: pg.ClientConfig) => ({ host, port }));
  return { ...config, connectToPrimary: new PrimaryHost(config, hosts).connect };
};

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

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** The URL of each host that a URL names, in their order: `postgresql://a:5433,b/shop` is two, as libpq has it. */
export const urlsOf = (url: string): readonly string[] => {
  const [, before = '', hosts = '', after = ''] = AUTHORITY.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
};

/** The URLs of a list with commas between. */
export const splitUrls = (list: string): readonly string[] =>
  list
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean);

/** Whether its target_session_attrs, where it has one, is for a server that takes writes, as views are counted. */
export const asksForWrites = (url: string): boolean =>
  !/[?&]target_session_attrs=/.test(url) || /[?&]target_session_attrs=(?:read-write|primary)(?:&|$)/.test(url);

/** Its hosts and ports, for messages. */
export const hostsOf = (url: string): string =>
  urlsOf(url)
    .map((each) => {
      const { host, port } = parseIntoClientConfig(each);
      return `${host || 'localhost'}:${port ?? 5432}`;
    })
    .join(' or ');

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

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

class NotWritable extends Error {
  /** SQLSTATE read_only_sql_transaction. */
  readonly code = '25006';
}

interface Host {
  readonly host: string;
  readonly port: number;
}

const PROBE_TIMEOUT_MS = 1000;

/**
 * Finds the primary among several servers, which the driver does not: the first that answers and takes writes. It is remembered until a connection
 * to it fails or breaks off. All connections are to the same server: on one to a former primary its old rows would be read, while notifications
 * come from the new one.
 */
class PrimaryHost {
  readonly #config: pg.ClientConfig;
  readonly #hosts: readonly Host[];
  readonly #open = new Map<DatabaseClient, Host>();
  #primary: Promise<Host> | undefined;

  /** @param config what all of them are connected to with */
  constructor(config: pg.ClientConfig, hosts: readonly Host[]) {
    this.#config = config;
    this.#hosts = hosts;
  }

  readonly connect: ConnectToPrimary = async (client, open) => {
    this.#primary ??= this.#find();
    const primary = this.#primary;
    const forget = (): void => {
      if (this.#primary === primary) this.#primary = undefined;
    };
    try {
      const host = await primary;
      // The pool has given the connection up meanwhile.
      if (client.connection.stream.destroyed) throw new Error('timeout exceeded when trying to connect');
      this.#open.set(client, host);
      client.connection.once('end', () => {
        this.#open.delete(client);
        forget();
      });
      // Declared as read-only, and read when it connects.
      Object.assign(client, host);
      await open();
    } catch (error) {
      forget();
      client.connection.stream.destroy();
      throw error;
    }
  };

  async #find(): Promise<Host> {
    const found = await Promise.any(this.#hosts.map((host) => this.#probe(host))).catch(throwMostTelling);
    for (const [client, host] of this.#open) {
      if (host !== found)
        client.connection.stream.destroy(new Error('Connection terminated: another server is the primary'));
    }
    return found;
  }

  #probe(host: Host): Promise<Host> {
    return withConnection({ ...this.#config, ...host }, PROBE_TIMEOUT_MS, async (client) => {
      // That of a standby is on.
      const { setting } = await oneRow(client, `select current_setting('transaction_read_only') as setting`);
      if (setting === 'on') throw new NotWritable('none of the hosts takes writes');
      return host;
    });
  }
}

/** The error of a host that does not answer says more than the refusal of one that is no primary. */
const throwMostTelling = ({ errors }: AggregateError): never => {
  throw errors.find((error) => !(error instanceof NotWritable)) ?? errors[0];
};
