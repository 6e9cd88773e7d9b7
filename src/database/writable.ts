import type pg from 'pg';

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
