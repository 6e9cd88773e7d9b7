import pg from 'pg';
import type { Logger } from 'pino';
import { type ConnectionConfig, DatabaseClient } from '../client.ts';
import { REPLAY_POSITION, type ReplayPosition } from './wal-position.ts';

interface Options {
  readonly name: string;
  readonly connection: ConnectionConfig;
  /** How long after `probe` it is asked: the replica replays what the primary has just written. */
  readonly delayMs: number;
  /** Called when its position has changed, or is no longer known. */
  readonly onChange: () => void;
  readonly log: Logger;
}

const CONNECT_TIMEOUT_MS = 3000;
const TIMEOUT_MS = 1000;
/** A replica that takes longer would take as long for a statement. */
const PATIENCE_MS = 250;
const RECONNECT_DELAY_MS = 500;

/** The connection on which a replica is asked for its position. */
export const createProber = ({ name, connection, delayMs, onChange, log }: Options) => {
  const pool = new pg.Pool({
    ...connection,
    Client: DatabaseClient,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  let position: ReplayPosition | undefined;
  /** When the question was sent that is not answered yet. */
  let askedMs: number | undefined;
  /** When the question was sent that was answered last. */
  let answeredMs = Number.NEGATIVE_INFINITY;
  let suspectedMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  let nextConnectMs = 0;
  let isClosed = false;
  let isKnownAway = false;

  const lose = (error: unknown): void => {
    nextConnectMs = performance.now() + RECONNECT_DELAY_MS;
    position = undefined;
    onChange();
    if (isClosed || isKnownAway) return;
    isKnownAway = true;
    log.warn({ err: error, replica: name }, 'a replica is away: it is passed over');
  };
  // An idle connection broke. One in use fails its statement.
  pool.on('error', lose);
  pool.on('connect', (client) => client.on('error', () => {}));

  const ask = async (): Promise<void> => {
    isScheduled = false;
    if (isClosed) return;
    const sentMs = performance.now();
    askedMs = sentMs;
    try {
      const { rows } = await pool.query<ReplayPosition>(REPLAY_POSITION);
      answeredMs = sentMs;
      position = rows[0];
      if (isKnownAway) log.info({ replica: name }, 'a replica is back');
      isKnownAway = false;
      onChange();
    } catch (error) {
      lose(error);
    } finally {
      askedMs = undefined;
    }
  };

  return {
    /** Asks soon, unless an answer is awaited; connects where there is no connection. */
    probe: (): void => {
      if (isClosed || isScheduled || askedMs !== undefined) return;
      if (!position && performance.now() < nextConnectMs) return;
      isScheduled = true;
      setTimeout(ask, position ? delayMs : 0).unref();
    },
    /** The last answer on the open connection. */
    position: () => position,
    /** Whether it answers quickly. */
    isResponsive: (): boolean =>
      position !== undefined &&
      answeredMs > suspectedMs &&
      (askedMs === undefined || performance.now() - askedMs < PATIENCE_MS),
    /** Until the next answer it does not count as responsive. */
    suspect: (): void => {
      suspectedMs = performance.now();
    },
    close: (): void => {
      isClosed = true;
      position = undefined;
      void pool.end();
    },
  };
};
