import { BARE_BEAT_SQL, type Beat, beatSql, isLockTimeout, LOCK_TIMEOUT_MS } from './beat.ts';
import type { ChangeSource } from './change-source.ts';
import type { Table } from './pulse.ts';

const BEAT = { name: 'vitrine_beat', text: beatSql('$1::float8') };
const BARE_BEAT = { name: 'vitrine_bare_beat', text: BARE_BEAT_SQL };

const TABLES: ReadonlySet<string> = new Set<Table>(['category', 'product', 'notice']);

/**
 * Changes as the triggers notify them. A beat returns after every notification of a commit that was acknowledged before it was sent: `NOTIFY` is
 * delivered at commit, in order (https://www.postgresql.org/docs/current/sql-notify.html).
 */
export const listening: ChangeSource = {
  tellsChanges: true,
  prepare: async (client, onChange) => {
    client.on('notification', ({ payload }) => {
      if (payload !== undefined && TABLES.has(payload)) onChange(payload as Table);
    });
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; listen vitrine`);
  },
  beat: async (client, behindMs, beatAgain) => {
    const { rows } = await client.query<Beat>({ ...BEAT, values: [behindMs] }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      beatAgain();
      return client.query<Beat>(BARE_BEAT);
    });
    return rows[0];
  },
};
