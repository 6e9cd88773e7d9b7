import type { Logger } from 'pino';
import { abandon, type ConnectionConfig, DatabaseClient } from '../client.ts';
import { REPLAY_POSITION, type ReplayPosition } from './wal-position.ts';

/** The connection by which a replica is asked how far it is. */
export interface Prober {
  /** Asks soon, unless it is being asked; connects if it must. */
  readonly probe: () => void;
  /** What it said last on the connection that still stands. */
  readonly position: () => ReplayPosition | undefined;
  /** Whether it has answered as quickly as a server does that is well. */
  readonly isResponsive: () => boolean;
  /** Until it has answered again, it does not count as well. */
  readonly suspect: () => void;
  readonly close: () => void;
}

interface Options {
  readonly name: string;
  readonly connection: ConnectionConfig;
  /** A replica needs a moment to replay what the primary has just told of. */
  readonly delayMs: number;
  /** Its position is another one, or not known any more. */
  readonly onChange: () => void;
  readonly log: Logger;
}

const CONNECT_TIMEOUT_MS = 3000;
const TIMEOUT_MS = 1000;
/** One that takes longer to say how far it is would take as long to answer. */
const PATIENCE_MS = 250;
const RECONNECT_DELAY_MS = 500;

export const createProber = ({ name, connection, delayMs, onChange, log }: Options): Prober => {
  let client: DatabaseClient | undefined;
  let position: ReplayPosition | undefined;
  /** Since when it has owed an answer. */
  let askedMs: number | undefined;
  let isConnecting = false;
  /** When it was asked what it has answered last. */
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
