import type pg from 'pg';
import type { Logger } from 'pino';
import type { Beat } from '../../cache/beat.ts';
import type { ChangeSource } from '../../cache/change-source.ts';
import { createListening, listening } from '../../cache/listening.ts';
import { INSERT_LSN, WAL_HISTORY, type WalHistory, type WalPosition } from './wal.ts';

/** A position of the primary: whoever has replayed it misses no commit that was acknowledged before it was asked for. */
export interface PrimaryPosition extends WalPosition {
  /** When it was asked for, by `performance.now()`. */
  readonly sentMs: number;
  /** How many changes had been told by then: it comes after the commits of all of these. */
  readonly heard: number;
}

/** What the pulse finds out for replicas, too. */
export interface PrimaryPositions {
  /** To be the pulse's. */
  readonly source: ChangeSource;
  /** How many changes were told so far; that the connection was lost, and anything may have changed, is one. */
  readonly heard: () => number;
  /** Younger than the bound, the latest first. */
  readonly recent: () => readonly PrimaryPosition[];
}

interface Options {
  readonly freshnessMs: number;
  readonly onPosition: () => void;
  readonly log: Logger;
}

const positioned = createListening([INSERT_LSN]);

/**
 * Has each beat bring the primary's position: it costs no round trip, an idle process asks for none, and it comes from the server that
 * tells of the changes.
 */
export const followPrimary = ({ freshnessMs, onPosition, log }: Options): PrimaryPositions => {
  let heard = 0;
  let recent: PrimaryPosition[] = [];
  /** Of the present connection; undefined where it does not tell. */
  let history: WalHistory | undefined;

  const readHistory = async (client: pg.Client): Promise<WalHistory | undefined> => {
    try {
      return (await client.query<WalHistory>(WAL_HISTORY)).rows[0];
    } catch (error) {
      log.warn({ err: error }, 'the primary does not tell its position: no replica is read from');
      return undefined;
    }
  };

  return {
    source: {
      tellsChanges: listening.tellsChanges,
      prepare: async (client, onChange) => {
        heard += 1;
        await listening.prepare(client, (change) => {
          heard += 1;
          onChange(change);
        });
        history = await readHistory(client);
      },
      beat: async (client, behindMs, beatAgain) => {
        if (!history) return listening.beat(client, behindMs, beatAgain);
        const { origin, timeline } = history;
        let sentMs = performance.now();
        let heardBefore = heard;
        const beat: (Beat & { readonly lsn?: number }) | undefined = await positioned.beat(client, behindMs, () => {
          sentMs = performance.now();
          heardBefore = heard;
          beatAgain();
        });
        if (beat?.lsn === undefined) return beat;
        const boundMs = performance.now() - freshnessMs;
        recent = recent.filter((position) => position.sentMs > boundMs);
        recent.unshift({ lsn: beat.lsn, timeline, origin, sentMs, heard: heardBefore });
        onPosition();
        return beat;
      },
    },
    heard: () => heard,
    recent: () => recent,
  };
};
