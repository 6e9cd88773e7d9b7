import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { ConnectionConfig } from './client.ts';
import { urlsOf } from './connection-url.ts';
import { createConnectToPrimary, type SessionAttributes } from './hosts.ts';

/**
 * What every connection of ours is opened with, from a URL of the operator's. Where that names several hosts, all connections that are opened with
 * one result of this function are to the same of them.
 */
export const connectionConfig = (url: string): ConnectionConfig => {
  const [config = {}, ...others] = urlsOf(url).map(configOf);
  const { target_session_attrs: attributes, ...connection } = config;
  if (others.length === 0 && (attributes === undefined || attributes === 'any')) return connection;
  const hosts = [config, ...others].map(({ host = 'localhost', port = 5432 }: pg.ClientConfig) => ({ host, port }));
  // libpq takes any server where the URL does not say; here, one that takes no writes would be of no use.
  return { ...connection, connectToPrimary: createConnectToPrimary(connection, hosts, attributes ?? 'read-write') };
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
      ...(schema && { search_path: quotedIfNeeded(schema) }),
    },
    keepAlive: true,
  };
};

/** PostgreSQL folds what is not quoted to small letters. A name that needs no quotes has none, so that it compares with what a role or a pooler sets. */
const quotedIfNeeded = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name));
