import type pg from 'pg';
import { BARE_BEAT_SQL, type Beat, beatSql, isLockTimeout, LOCK_TIMEOUT_MS } from './beat.ts';
import type { ChangeSource } from './change-source.ts';

/**
 * For databases without `LISTEN`, and for poolers that hand each statement to another session: nothing tells of changes, so an answer is kept no
 * longer than a commit may be missed. No trigger, no table and no order of commits is relied on, only that a statement sees what was
 * committed before it; and each beat stands for itself, whatever session it meets.
 */
export const polling: ChangeSource = {
  tellsChanges: false,
  prepare: async () => {},
  beat: async (client, behindMs, beatAgain) => {
    // Statements that are sent together are one transaction, so the limit is the beat's alone.
    const text = `set local lock_timeout = ${LOCK_TIMEOUT_MS}; ${beatSql(behindMs.toFixed(3))}`;
    // The driver answers several statements by several results, which its declarations do not say.
    const results = client.query(text) as unknown as Promise<pg.QueryResult<Beat>[]>;
    return results.then(
      ([, beat]) => beat?.rows[0],
      async (error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        beatAgain();
        return (await client.query<Beat>(BARE_BEAT_SQL)).rows[0];
      },
    );
  },
};
