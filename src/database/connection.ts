import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { ConnectionConfig } from './client.ts';

/** What every connection of ours is opened with, from a URL of the operator's. */
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
      ...(schema && { search_path: quotedIfNeeded(schema) }),
    },
    keepAlive: true,
  };
};

/** PostgreSQL folds what is not quoted to small letters. A name that needs no quotes has none, so that it compares with what a role or a pooler sets. */
const quotedIfNeeded = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name));

/** The URLs of a list with commas between. */
export const splitUrls = (list: string): readonly string[] =>
  list
    .split(/,(?=\s*(?:postgres(?:ql)?:\/\/|$))/)
    .map((url) => url.trim())
    .filter(Boolean);

/** Whether it names one server. To find the primary among several, as libpq does, the driver has no means. */
export const namesOneServer = (url: string): boolean => {
  const [, place = '', query = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^?#]*)(.*)$/s.exec(url) ?? [];
  return !/[,\s]/.test(place) && !/[?&]target_session_attrs=/.test(query);
};

/** Its host and port, for messages. */
export const placeOf = (url: string): string => {
  const { host, port } = parseIntoClientConfig(url);
  return `${host || 'localhost'}:${port ?? 5432}`;
};

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

/** Whether it can be parsed. A `#` is most likely part of a password that was not percent-encoded: the parser would leave out the rest. */
export const isWholeUrl = (url: string): boolean => {
  const fault = faultOf(url);
  return !url.includes('#') && (fault === undefined || fault.syscall !== undefined);
};

/** Whether the certificates and keys that it names can be read. */
export const hasReadableFiles = (url: string): boolean => faultOf(url)?.syscall === undefined;

const faultOf = (url: string): NodeJS.ErrnoException | undefined => {
  try {
    parseIntoClientConfig(url);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
};
