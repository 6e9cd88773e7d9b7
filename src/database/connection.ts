import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import {
  type ConnectionConfig,
  type DatabaseClient,
  followWritability,
  type Host,
  type Hosts,
  NotWritable,
  type SessionAttributes,
  useBriefly,
} from './client.ts';
import { urlsOf } from './connection-url.ts';

/**
 * What every connection of ours is opened with, from a URL of the operator's. Where that names several hosts, all connections that are opened with
 * one result of this are to the same of them.
 */
export const connectionConfig = (url: string): ConnectionConfig => {
  const [config = {}, ...others] = urlsOf(url).map(configOf);
  const { target_session_attrs: attributes, ...connection } = config;
  if (others.length === 0 && (attributes === undefined || attributes === 'any')) return connection;
  // libpq takes any server where nothing is said; here, one that takes no writes would be of no use.
  return { ...connection, hosts: createHosts(connection, [config, ...others].map(hostOf), attributes ?? 'read-write') };
};

type ParsedUrl = ConnectionConfig & { target_session_attrs?: SessionAttributes };

const configOf = (url: string): ParsedUrl => {
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
      ...(schema && { search_path: schema }),
    },
    keepAlive: true,
  };
};

const hostOf = ({ host = 'localhost', port = 5432 }: pg.ClientConfig): Host => ({ host, port });

/** A host that says nothing does not keep the next one from being tried. */
const STAGGER_MS = 250;
const PROBE_TIMEOUT_MS = 1000;
/** While there is none, requests do not ask all of them anew, each for itself. */
const RETRY_MS = 100;

/**
 * Finds the primary among several servers, as libpq does and the driver does not: in their order, each tried when the one before has failed or
 * says nothing. The one found is remembered until a connection to it fails or breaks off. All who connect by the same `Hosts` are on the same server: a
 * pool whose connections stayed at a former primary would go on reading what the new one has long changed, unnoticed, because
 * notifications come from the new one.
 * @param config what all of them are connected to with
 */
const createHosts = (config: pg.ClientConfig, hosts: readonly Host[], attributes: SessionAttributes): Hosts => {
  const open = new Map<DatabaseClient, Host>();
  let present: Host | undefined;
  let finding: Promise<Host> | undefined;
  let failure: { readonly error: unknown; readonly untilMs: number } | undefined;

  const drop = (isDropped: (host: Host) => boolean): void => {
    for (const [client, host] of open) {
      if (isDropped(host))
        client.connection.stream.destroy(new Error('Connection terminated: another server is the primary'));
    }
  };

  const probe = async (host: Host): Promise<Host> => {
    const client = new pg.Client({
      ...config,
      ...host,
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
    });
    const { assert } = followWritability(client, attributes);
    await useBriefly(client, assert);
    return host;
  };

  const search = (): Promise<Host> => {
    const { promise, resolve, reject } = Promise.withResolvers<Host>();
    const errors = new Map<Host, unknown>();
    let next = 0;
    let stagger: NodeJS.Timeout | undefined;
    const tryNext = (): void => {
      clearTimeout(stagger);
      const host = hosts[next];
      if (!host) return;
      next += 1;
      stagger = setTimeout(tryNext, STAGGER_MS);
      probe(host).then(resolve, (error: unknown) => {
        errors.set(host, error);
        if (errors.size === hosts.length) reject(mostTelling(hosts.map((each) => errors.get(each))));
        else tryNext();
      });
    };
    tryNext();
    return promise.finally(() => clearTimeout(stagger));
  };

  const find = async (): Promise<Host> => {
    try {
      const found = await search();
      present = found;
      drop((host) => host !== found);
      return found;
    } catch (error) {
      failure = { error, untilMs: performance.now() + RETRY_MS };
      throw error;
    } finally {
      finding = undefined;
    }
  };

  const leave = (host: Host): void => {
    if (present === host) present = undefined;
  };

  return {
    attributes,
    leave,
    find: async () => {
      if (present) return present;
      if (failure && performance.now() < failure.untilMs) throw failure.error;
      finding ??= find();
      return finding;
    },
    keep: (client, host) => {
      open.set(client, host);
      client.connection.once('end', () => {
        open.delete(client);
        if (!client.isEnding) leave(host);
      });
      // It was found to be another while this one connected.
      if (present && present !== host) drop((each) => each === host);
    },
    demote: (host) => {
      leave(host);
      drop((each) => each === host);
    },
  };
};

/** Where one is there and no primary, its word that it takes no writes says less than what keeps another from answering. */
const mostTelling = (errors: readonly unknown[]): unknown =>
  errors.find((error) => !(error instanceof NotWritable)) ?? new NotWritable('none of the hosts takes writes');
