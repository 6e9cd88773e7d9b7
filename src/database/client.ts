import pg from 'pg';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Settings that the session begins with. As parameters of their own, and not in `options`, which poolers refuse or ignore. */
  readonly startup?: Readonly<Record<string, string>> | undefined;
}

/** Missing in the driver's declarations: the parameters of the message that opens a session, and whom the server says to be. */
interface Startup {
  readonly getStartupConf: () => Record<string, string>;
  readonly processID: number | null;
}

/** The driver's client, which can begin a session with any setting. */
export class DatabaseClient extends pg.Client {
  readonly #startup: Readonly<Record<string, string>>;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    this.#startup = config.startup ?? {};
  }

  /** Called by the driver as it connects. */
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as Startup;
    return { ...getStartupConf.call(this), ...this.#startup };
  }

  /** The server process that was named when the session began; a pooler names something of its own. */
  get namedPid(): number | null {
    return (this as unknown as Startup).processID;
  }
}
