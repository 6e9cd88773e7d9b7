import pg from 'pg';
import { driverStartup, namedPid } from '../fast-path/pg-client.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Settings that the session begins with. As parameters of their own, and not in `options`, which poolers refuse or ignore. */
  readonly startup?: Readonly<Record<string, string>> | undefined;
  /** Where there is more than one server to choose from, or one that takes writes is insisted on. */
  readonly hosts?: Hosts | undefined;
}

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** The servers that one URL names, of which one is the primary. */
export interface Hosts {
  readonly attributes: SessionAttributes;
  /** The one to connect to. @throws what the first of them throws, if none will do */
  readonly find: () => Promise<Host>;
  /** Nobody can connect to it, or it takes no writes: the others are looked at next time. */
  readonly leave: (host: Host) => void;
  /** Takes note of an open connection, which is dropped as soon as another server is the primary, or this one no longer is. */
  readonly keep: (client: DatabaseClient, host: Host) => void;
  /** It takes writes no more: its connections are dropped. */
  readonly demote: (host: Host) => void;
}

/** Lets go of a connection at once: to end it in peace would be to wait for a server that may not be there. */
export const abandon = (client: pg.Client): void => {
  client.removeAllListeners();
  client.on('error', () => {});
  client.connection.stream.destroy();
};

/** Opens a connection, uses it and lets go of it. @throws what opening it throws, and what the work does */
export const useBriefly = async <Client extends pg.Client, Value>(
  client: Client,
  work: (client: Client) => Promise<Value>,
): Promise<Value> => {
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.connection.stream.destroy();
  }
};

/** The driver's client, which can begin a session with any setting, and find its server among several. */
export class DatabaseClient extends pg.Client {
  readonly #config: ConnectionConfig;
  #isEnding = false;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.#config = config;
  }

  /** One more, not connected yet, with the same configuration. */
  another(): DatabaseClient {
    return new DatabaseClient(this.#config);
  }

  /** The settings that the session was asked to begin with. */
  get startup(): Readonly<Record<string, string>> {
    return this.#config.startup ?? {};
  }

  // One signature stands for the two overloads that the driver declares.
  override connect = ((callback?: (error: unknown) => void): Promise<pg.Client> | undefined => {
    const { hosts } = this.#config;
    if (!hosts) return callback ? void super.connect(callback) : super.connect();
    const connecting = this.#connectToOne(hosts);
    if (!callback) return connecting;
    connecting.then(() => callback(null), callback);
    return undefined;
  }) as pg.Client['connect'];

  async #connectToOne(hosts: Hosts): Promise<pg.Client> {
    const host = await hosts.find();
    // Whoever waited for it has given it up.
    if (this.connection.stream.destroyed) throw new Error('timeout exceeded when trying to connect');
    const { assert } = followWritability(this, hosts.attributes, () => hosts.demote(host));
    try {
      this.#aimAt(host);
      await super.connect();
      await assert();
    } catch (error) {
      hosts.leave(host);
      this.connection.stream.destroy();
      throw error;
    }
    hosts.keep(this, host);
    return this;
  }

  #aimAt({ host, port }: Host): void {
    // Declared as read-only, and read when it connects.
    Object.assign(this, { host, port });
  }

  /** Called by the driver as it connects. */
  getStartupConf(): Record<string, string> {
    return { ...driverStartup(this), ...this.#config.startup };
  }

  /** The server process that was named when the session began; a pooler names something of its own. */
  get namedPid(): number | null {
    return namedPid(this);
  }

  /** Whether it is we who end it. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  // As above.
  override end = ((callback?: (error: Error) => void): Promise<void> | undefined => {
    this.#isEnding = true;
    return callback ? void super.end(callback) : super.end();
  }) as pg.Client['end'];
}

/** What a session must be good for, as libpq names it: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS */
export type SessionAttributes = 'any' | 'read-write' | 'primary';

/** SQLSTATE read_only_sql_transaction: also what is said of a server that does not take writes. */
export const READ_ONLY = '25006';

export class NotWritable extends Error {
  readonly code = READ_ONLY;
}

/** What PostgreSQL reports of every session, from its start on and whenever it changes, without being asked. */
const STANDBY = 'in_hot_standby';
const READ_ONLY_BY_DEFAULT = 'default_transaction_read_only';

export interface Writability {
  /** @throws NotWritable @throws what the question throws where a pooler keeps the reports to itself */
  readonly assert: () => Promise<void>;
}

/**
 * Follows whether a session is good for what it is wanted for.
 * @param onLoss told when a session that was good is so no more
 */
export const followWritability = (
  client: pg.Client,
  attributes: SessionAttributes,
  onLoss: () => void = () => {},
): Writability => {
  const reported: Record<string, boolean> = {};
  const isGood = (): boolean =>
    attributes === 'any' || !(reported[STANDBY] || (attributes === 'read-write' && reported[READ_ONLY_BY_DEFAULT]));
  let wasGood = false;

  client.connection.on('parameterStatus', (message: { parameterName: string; parameterValue: string }) => {
    reported[message.parameterName] = message.parameterValue === 'on';
    if (wasGood && !isGood()) onLoss();
  });
  client.connection.on('errorMessage', ({ code }: { code?: string }) => {
    if (wasGood && code === READ_ONLY && attributes !== 'any') onLoss();
  });

  return {
    assert: async () => {
      if (attributes !== 'any' && !(STANDBY in reported && READ_ONLY_BY_DEFAULT in reported)) {
        const { rows } = await client.query<{ standby: boolean; readOnly: boolean }>(
          `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as "readOnly"`,
        );
        reported[STANDBY] = rows[0]?.standby === true;
        reported[READ_ONLY_BY_DEFAULT] = rows[0]?.readOnly === true;
      }
      if (!isGood()) throw new NotWritable('the server does not take writes');
      wasGood = true;
    },
  };
};
