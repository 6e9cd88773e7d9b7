import type pg from 'pg';
import { type ConnectToPrimary, type DatabaseClient, oneRow, withConnection } from './client.ts';

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
export class PrimaryHost {
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
