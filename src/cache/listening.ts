import { assertOwnSession } from '../database/pooling.ts';
import { BARE_BEAT_SQL, type Beat, beatSql, isLockTimeout, LOCK_TIMEOUT_MS } from './beat.ts';
import type { ChangeSource } from './change-source.ts';
import { readProductChange } from './product-change.ts';

// A pooler may give the connection another session unnoticed, and then nothing is told.
const IS_LISTENING = `exists (select from pg_listening_channels() as channel where channel = 'vitrine') as "isListening"`;

type ListenedBeat = Beat & { readonly isListening: boolean };

/** The tables that changed, by their names. Here products are for versions that do not know the other channel. */
const TABLE_CHANNEL = 'vitrine';

/** Which products changed; without that, any of them. */
const PRODUCT_CHANNEL = 'vitrine_product';

/**
 * Changes as the triggers notify them. A beat returns after every notification of a commit that was acknowledged before it was sent: `NOTIFY` is
 * delivered at commit, in order (https://www.postgresql.org/docs/current/sql-notify.html).
 * @param more further columns of a beat
 */
export const createListening = (more: readonly string[] = []): ChangeSource => {
  const columns = [IS_LISTENING, ...more].join(', ');
  const beat = { name: 'vitrine_beat', text: `${beatSql('$1::float8')}, ${columns}` };
  const bareBeat = { name: 'vitrine_bare_beat', text: `${BARE_BEAT_SQL}, ${columns}` };
  return {
    tellsChanges: true,
    prepare: async (client, onChange) => {
      await assertOwnSession(client, 'Notifications (PULSE=listen) need', '; or set PULSE=poll');
      client.on('notification', ({ channel, payload = '' }) => {
        if (channel === PRODUCT_CHANNEL) onChange(readProductChange(payload) ?? 'product');
        else if (payload === 'category' || payload === 'notice') onChange(payload);
      });
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}; listen ${TABLE_CHANNEL}; listen ${PRODUCT_CHANNEL}`);
    },
    beat: async (client, behindMs, beatAgain) => {
      const { rows } = await client.query<ListenedBeat>({ ...beat, values: [behindMs] }).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        beatAgain();
        return client.query<ListenedBeat>(bareBeat);
      });
      if (rows[0]?.isListening === false) throw new Error('the session is another one, which does not listen');
      return rows[0];
    },
  };
};

export const listening = createListening();
