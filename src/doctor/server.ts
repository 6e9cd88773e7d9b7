import { type Check, type Finding, fail, ok, oneRow } from './check.ts';

const MINIMUM_VERSION = 150_000;

interface ServerRow {
  number: number;
  version: string;
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
  timeZone: string;
  dateStyle: string;
}

/** The server's version, whether it can be written to, and what the session is set to. */
export const checkServer: Check = async ({ client }) => {
  const row = await oneRow<ServerRow>(
    client,
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
       current_setting('transaction_read_only')::boolean as "isReadOnly", current_setting('TimeZone') as "timeZone",
       current_setting('DateStyle') as "dateStyle"`,
  );
  return [checkVersion(row), checkEncoding(row), checkWritable(row), checkTimeZone(row)];
};

const checkVersion = ({ number, version }: ServerRow): Finding =>
  number >= MINIMUM_VERSION
    ? ok('version', `PostgreSQL ${version}`)
    : fail('version', `PostgreSQL ${version} is too old`, 'Upgrade the server to PostgreSQL 15 or newer.');

const checkEncoding = ({ encoding }: ServerRow): Finding =>
  encoding === 'UTF8'
    ? ok('encoding', 'UTF8')
    : fail(
        'encoding',
        `the database is ${encoding}`,
        `Create it anew with "create database … encoding 'UTF8' template template0".`,
      );

const checkWritable = ({ isStandby, isReadOnly }: ServerRow): Finding => {
  if (isStandby) {
    return fail(
      'writable',
      'this is a standby',
      'Point DATABASE_URL at the primary: views are counted, and a standby notifies no changes.',
    );
  }
  return isReadOnly
    ? fail(
        'writable',
        'transactions are read-only here',
        'Views are counted: "alter role … reset default_transaction_read_only", or the same of the database.',
      )
    : ok('writable', 'a primary that takes writes');
};

// Both are asked for when the connection is opened; a pooler may drop that.
const checkTimeZone = ({ timeZone, dateStyle }: ServerRow): Finding =>
  timeZone === 'UTC' && dateStyle.startsWith('ISO')
    ? ok('time zone', 'sessions are in UTC')
    : fail(
        'time zone',
        `sessions are in ${timeZone} with DateStyle ${dateStyle}, although each asks for UTC and ISO`,
        'A pooler drops what connections ask for: moments would be wrong. Connect to the database itself, or "alter role … set timezone = UTC; alter role … set datestyle = ISO".',
      );
