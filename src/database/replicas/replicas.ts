import type { PrismaClient } from '../generated/client/client.ts';
import { poolOf, prismaIn } from '../pool.ts';
import { createSql, type Sql } from '../sql.ts';
import { Replica, type ReplicaOptions } from './replica.ts';
import { followPrimary } from './wal-position.ts';

/** Servers that are read instead of the primary. */
export type Replicas = ReturnType<typeof createReplicas>;

interface Options extends Omit<ReplicaOptions, 'url' | 'positions'> {
  readonly urls: readonly string[];
  /** Of the tables. */
  readonly schema: string;
}

/**
 * Reads from replicas that miss no commit which was acknowledged more than `freshnessMs` before, nor any that was notified: docs/architecture.md has
 * the proof, in step 10. An operation whose read fails there (a conflict with recovery, half of the time there is, a lost connection) is run again on
 * the primary, as a whole: no read of it is older than an earlier one. While the primary is away there is no heartbeat, and no replica is used,
 * although it may be alive.
 */
export const createReplicas = ({ urls, schema, freshnessMs, log, ...options }: Options) => {
  const tellAll = (): void => {
    for (const replica of all) replica.onPrimaryPosition();
  };
  const positions = followPrimary(freshnessMs, tellAll, log);
  const all: readonly Replica[] = urls.map((url) => new Replica({ ...options, url, freshnessMs, log, positions }));
  /** Operations that were left to the primary. */
  const stats = { primary: 0 };

  return {
    /** For the connection of the heartbeat. */
    observer: positions.observer,
    all,
    stats,
    /** @param createReads makes the loaders of operations, for each server */
    serve: <Reads>(createReads: (clients: { readonly sql: Sql; readonly prisma: PrismaClient }) => Reads) => {
      const servers = all.map((replica) => {
        const pool = poolOf((config) => replica.query(config));
        return { replica, reads: createReads({ sql: createSql(pool), prisma: prismaIn(schema, pool) }) };
      });
      let turn = 0;
      return {
        /**
         * @param mayBeOld whether the operation may read what is not the newest
         * @returns the reads of an operation that begins now, and how old they may be; undefined for the primary
         */
        choose: (mayBeOld: boolean): { readonly reads: Reads; readonly asOfMs: number } | undefined => {
          turn = (turn + 1) % servers.length;
          const inTurn = [...servers.slice(turn), ...servers.slice(0, turn)];
          const server = mayBeOld ? inTurn.find(({ replica }) => replica.isChosen()) : undefined;
          if (server) return { reads: server.reads, asOfMs: server.replica.asOfMs() };
          stats.primary += 1;
          return undefined;
        },
      };
    },
    close: async (): Promise<void> => {
      await Promise.all(all.map((replica) => replica.close()));
    },
  };
};
