import { setTimeout as delay } from 'node:timers/promises';
import type { CommitRecord } from '../support/commit-record.ts';
import type { RestartableDatabase } from '../support/restartable-database.ts';
import type { BackOffice } from './back-office.ts';
import type { Instance } from './instance.ts';
import type { Blow } from './plan.ts';

interface Deps {
  readonly database: RestartableDatabase;
  readonly record: CommitRecord;
  readonly backOffice: BackOffice;
  /** The instance that is killed. */
  readonly victim: Instance;
  /** Waits for what the back office is at, and has it wait until the action is done. */
  readonly exclusively: (action: () => Promise<void>) => Promise<void>;
}

/** Past the longest that a statement may take, so that those who wait are refused. */
const LONG_LOCK_MS = 2500;

const RESTART_PAUSE_MS = 300;

/** Strikes as the plan has it, and tells the record what is excused by it. */
export const createBlows = ({ database, record, backOffice, victim, exclusively }: Deps) => {
  const endConnections = (pattern: string): Promise<unknown> =>
    database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vitrine' and query ~* $1`,
      [pattern],
    );

  const whileLost = async (action: () => Promise<unknown>): Promise<void> => {
    const giveBack = record.loseDatabase();
    await action();
    giveBack();
  };

  const BLOWS: Readonly<Record<Blow['kind'], () => Promise<void>>> = {
    restart: () =>
      exclusively(() =>
        whileLost(async () => {
          await database.stopAtOnce();
          await delay(RESTART_PAUSE_MS);
          await database.startAgain();
        }),
      ),
    connections: () => whileLost(() => endConnections('')),
    // Excuses nothing: whoever asks meanwhile is answered by the connections that are left.
    listener: async () => void (await endConnections('listen|clock_timestamp')),
    kill: async () => {
      await victim.kill();
      await victim.startAgain();
    },
    'long lock': () => exclusively(() => whileLost(() => backOffice.lockTable(LONG_LOCK_MS))),
  };

  return (blow: Blow): Promise<void> => BLOWS[blow.kind]();
};
