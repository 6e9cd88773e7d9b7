import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type ConnectToPrimary, type DatabaseClient, oneRow, withConnection } from './client.ts';

/** What libpq allows: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS */
export const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'] as const;

export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

/** SQLSTATE read_only_sql_transaction; also the code of {@link NotWritable}. */
const READ_ONLY = '25006';

class NotWritable extends Error {
  readonly code = READ_ONLY;
}

interface Host {
  readonly host: string;
  readonly port: number;
}

/** A host that does not answer does not keep the next one from being tried. */
const STAGGER_MS = 250;
const PROBE_TIMEOUT_MS = 1000;
/** After a search that found none, requests do not each begin another one. */
const RETRY_MS = 100;

/**
 * Finds the primary among several servers, as libpq does and the driver does not: in their order, each tried when the one before has failed or
 * does not answer. The one found is remembered until a connection to it fails or breaks off. All connections are to the same server: on one to
 * a former primary its old rows would be read, while notifications come from the new one.
 */
export class PrimaryHost {
  readonly #config: pg.ClientConfig;
  readonly #hosts: readonly Host[];
  readonly #attributes: SessionAttributes;
  readonly #open = new Map<DatabaseClient, Host>();
  #primary: Host | undefined;
  #finding: Promise<Host> | undefined;
  #failure: { readonly error: unknown; readonly untilMs: number } | undefined;

  /** @param config what all of them are connected to with */
  constructor(config: pg.ClientConfig, hosts: readonly Host[], attributes: SessionAttributes) {
    this.#config = config;
    this.#hosts = hosts;
    this.#attributes = attributes;
  }

  readonly connect: ConnectToPrimary = async (client, open) => {
    const host = this.#primary ?? (await this.#find());
    // The pool has given the connection up meanwhile.
    if (client.connection.stream.destroyed) throw new Error('timeout exceeded when trying to connect');
    const assertWritable = followWritability(client, this.#attributes, () => {
      this.#forget(host);
      this.#drop((each) => each === host);
    });
    try {
      // Declared as read-only, and read when it connects.
      Object.assign(client, host);
      await open();
      await assertWritable();
    } catch (error) {
      this.#forget(host);
      client.connection.stream.destroy();
      throw error;
    }
    this.#open.set(client, host);
    client.connection.once('end', () => {
      this.#open.delete(client);
      if (!client.isEnding) this.#forget(host);
    });
    // Another server was found to be the primary while this one connected.
    if (this.#primary && this.#primary !== host) this.#drop((each) => each === host);
  };

  #drop(isDropped: (host: Host) => boolean): void {
    for (const [client, host] of this.#open) {
      if (isDropped(host))
        client.connection.stream.destroy(new Error('Connection terminated: another server is the primary'));
    }
  }

  #forget(host: Host): void {
    if (this.#primary === host) this.#primary = undefined;
  }

  #find(): Promise<Host> {
    if (this.#failure && performance.now() < this.#failure.untilMs) return Promise.reject(this.#failure.error);
    this.#finding ??= this.#search(this.#hosts)
      .then(
        (found) => {
          this.#primary = found;
          this.#drop((host) => host !== found);
          return found;
        },
        (failed: unknown) => {
          const error = mostTelling(failed);
          this.#failure = { error, untilMs: performance.now() + RETRY_MS };
          throw error;
        },
      )
      .finally(() => {
        this.#finding = undefined;
      });
    return this.#finding;
  }

  async #search([host, ...others]: readonly Host[]): Promise<Host> {
    if (!host) throw new NotWritable('none of the hosts takes writes');
    const probed = this.#probe(host);
    const found = await Promise.race([probed, delay(STAGGER_MS, undefined, { ref: false })]).catch(() => undefined);
    return found ?? Promise.any([probed, this.#search(others)]);
  }

  #probe(host: Host): Promise<Host> {
    return withConnection({ ...this.#config, ...host }, PROBE_TIMEOUT_MS, async (client) => {
      await followWritability(client, this.#attributes)();
      return host;
    });
  }
}

const errorsIn = (error: unknown): readonly unknown[] =>
  error instanceof AggregateError ? error.errors.flatMap(errorsIn) : [error];

/** The error of a host that does not answer says more than the refusal of one that is no primary. */
const mostTelling = (error: unknown): unknown => {
  const errors = errorsIn(error);
  return errors.find((each) => !(each instanceof NotWritable)) ?? errors.at(-1);
};

/** What PostgreSQL reports of every session, from its start on and whenever it changes, without being asked. */
const STANDBY = 'in_hot_standby';
const READ_ONLY_BY_DEFAULT = 'default_transaction_read_only';

/**
 * Follows whether a session has the attributes that are wanted.
 * @param onLoss called when a session that was good no longer is
 * @returns the first check, once connected. It throws NotWritable, and where a pooler does not pass the reports on, what the query throws.
 */
const followWritability = (
  client: pg.Client,
  attributes: SessionAttributes,
  onLoss: () => void = () => {},
): (() => Promise<void>) => {
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

  return async () => {
    if (attributes !== 'any' && !(STANDBY in reported && READ_ONLY_BY_DEFAULT in reported)) {
      const { standby, readOnly } = await oneRow<{ standby: boolean; readOnly: boolean }>(
        client,
        `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as "readOnly"`,
      );
      reported[STANDBY] = standby;
      reported[READ_ONLY_BY_DEFAULT] = readOnly;
    }
    if (!isGood()) throw new NotWritable('the server does not take writes');
    wasGood = true;
  };
};
