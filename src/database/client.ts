import pg from 'pg';
import type { Host, Hosts } from './hosts.ts';
import { followWritability } from './writable.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Settings that the session begins with. As parameters of their own, and not in `options`, which poolers refuse or ignore. */
  readonly startup?: Readonly<Record<string, string>> | undefined;
  /** Where there is more than one server to choose from, or one that takes writes is insisted on. */
  readonly hosts?: Hosts | undefined;
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

/** Missing in the driver's declarations: the parameters of the message that opens a session, whom the server says to be, and whether we end it. */
interface Startup {
  readonly getStartupConf: () => Record<string, string>;
  readonly processID: number | null;
  readonly _ending: boolean;
}

/** The driver's client, which can begin a session with any setting, and find its server among several. */
export class DatabaseClient extends pg.Client {
  readonly #config: ConnectionConfig;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.#config = config;
  }

  /** One more, not connected yet, with the same configuration. */
  another(): DatabaseClient {
    return new DatabaseClient(this.#config);
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
    const { getStartupConf } = pg.Client.prototype as unknown as Startup;
    return { ...getStartupConf.call(this), ...this.#config.startup };
  }

  /** Whether it is we who end it. */
  get isEnding(): boolean {
    return (this as unknown as Startup)._ending;
  }

  /** The server process that was named when the session began; a pooler names something of its own. */
  get namedPid(): number | null {
    return (this as unknown as Startup).processID;
  }
}
