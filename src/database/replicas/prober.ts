import type { Logger } from 'pino';
import { abandon, type ConnectionConfig, DatabaseClient } from '../client.ts';
import { REPLAY_POSITION, type ReplayPosition } from './wal-position.ts';

/** The connection on which a replica is asked for its position. */
export interface Prober {
  /** Asks soon, unless an answer is awaited; connects where there is no connection. */
  readonly probe: () => void;
  /** The last answer on the open connection. */
  readonly position: () => ReplayPosition | undefined;
  /** Whether it answers quickly. */
  readonly isResponsive: () => boolean;
  /** Until the next answer it does not count as responsive. */
  readonly suspect: () => void;
  readonly close: () => void;
}

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

export const createProber = ({ name, connection, delayMs, onChange, log }: Options): Prober => {
  let client: DatabaseClient | undefined;
  let position: ReplayPosition | undefined;
  /** When the question was sent that is not answered yet. */
  let askedMs: number | undefined;
  let isConnecting = false;
  /** When the question was sent that was answered last. */
  let answeredMs = Number.NEGATIVE_INFINITY;
  let suspectedMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  let nextConnectMs = 0;
  let isClosed = false;
  let isKnownAway = false;

  const lose = (lost: DatabaseClient, error: unknown): void => {
    if (client === lost) {
      client = undefined;
      position = undefined;
      askedMs = undefined;
      onChange();
    }
    abandon(lost);
    if (isClosed || isKnownAway) return;
    isKnownAway = true;
    log.warn({ err: error, replica: name }, 'a replica is away: it is passed over');
  };

  const ask = async (on: DatabaseClient): Promise<void> => {
    const sentMs = performance.now();
    askedMs = sentMs;
    try {
      const { rows } = await on.query<ReplayPosition>(REPLAY_POSITION);
      if (client !== on) return;
      askedMs = undefined;
      answeredMs = sentMs;
      position = rows[0];
      if (isKnownAway) log.info({ replica: name }, 'a replica is back');
      isKnownAway = false;
      onChange();
    } catch (error) {
      lose(on, error);
    }
  };

  const connect = async (): Promise<void> => {
    isConnecting = true;
    const opened = new DatabaseClient({
      ...connection,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('the server closed the connection')));
    try {
      await opened.connect();
      if (isClosed) {
        lose(opened, undefined);
        return;
      }
      client = opened;
      await ask(opened);
    } catch (error) {
      lose(opened, error);
    } finally {
      isConnecting = false;
      nextConnectMs = performance.now() + RECONNECT_DELAY_MS;
    }
  };

  const askSoon = (): void => {
    isScheduled = false;
    if (client && askedMs === undefined) void ask(client);
  };

  return {
    probe: () => {
      if (isClosed || isConnecting) return;
      if (!client) {
        if (performance.now() >= nextConnectMs) void connect();
      } else if (!isScheduled && askedMs === undefined) {
        isScheduled = true;
        setTimeout(askSoon, delayMs).unref();
      }
    },
    position: () => position,
    isResponsive: () =>
      position !== undefined &&
      answeredMs > suspectedMs &&
      (askedMs === undefined || performance.now() - askedMs < PATIENCE_MS),
    suspect: () => {
      suspectedMs = performance.now();
    },
    close: () => {
      isClosed = true;
      if (client) lose(client, undefined);
    },
  };
};
