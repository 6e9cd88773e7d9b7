import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { PrismaClient } from '../generated/client/client.ts';
import { type ObserveStatement, poolOf, prismaIn, type Query } from '../pool.ts';
import { createSql, type Sql } from '../sql.ts';
import { createReplica, type Obstacle, type Replica } from './replica.ts';
import { followPrimary, type PrimaryPositions } from './wal-position.ts';

/** Servers that are read instead of the primary. */
export interface Replicas {
  /** For the connection of the heartbeat. */
  readonly observer: PrimaryPositions['observer'];
  /** @param createReads makes the loaders of an operation, for each server */
  readonly serve: <Reads>(createReads: CreateReads<Reads>) => ReadServers<Reads>;
  readonly all: readonly Replica[];
  readonly stats: ReplicaStats;
  /** Statements sent so far. */
  readonly statementCount: () => number;
  readonly close: () => Promise<void>;
}

/** What a server is read with. */
interface ReadClients {
  readonly sql: Sql;
  readonly prisma: PrismaClient;
}

export type CreateReads<Reads> = (clients: ReadClients) => Reads;

export interface ReadServers<Reads> {
  /** The reads of an operation that begins now, and how old they may be; undefined for the primary. */
  readonly choose: () => { readonly reads: Reads; readonly asOfMs: number } | undefined;
}

export interface ReplicaStats {
  /** Operations that were left to the primary. */
  primary: number;
  /** Operations, by the name of the replica that was chosen. */
  readonly chosen: Map<string, number>;
  /** How often a replica could not be chosen, by its name and why. */
  readonly passedOver: Map<string, Map<NonNullable<Obstacle>, number>>;
}

interface Options {
  readonly urls: readonly string[];
  readonly freshnessMs: number;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly observer?: ObserveStatement | undefined;
  /** The primary. */
  readonly primary: Pool;
  /** The schema of the tables. */
  readonly schema: string;
}

/**
 * Operations that began on a replica. When a statement of one has to go to the primary, the rest of their statements goes there too: a later read
 * is then never older than an earlier one, so that a product's category is not missing.
 */
interface Cohort<Reads> {
  readonly reads: Reads;
  isLeft: boolean;
}

/**
 * A read may go to a replica only while the replica is known to miss no commit that was acknowledged more than `freshnessMs` before.
 *
 * - **How that is known.** Each heartbeat brings the primary's position in its log (`followPrimary`). A replica that has replayed it
 *   (`hasReplayed`) shows every commit that was acknowledged before the position was asked for: a commit's record is inserted before it is
 *   acknowledged, and replayed only when snapshots there see it. So it misses nothing from before then, and may be used until that is
 *   `freshnessMs` ago; an answer is as old as that, not as its execution, for those that join it (`CacheHints.asOfMs`).
 * - **What was notified.** A notification changes the cache tags at once. Old rows of a replica that has not replayed that commit would then be cached as new, for ever.
 *   So after a notification no replica is used that has not replayed a position that was asked for later. That is checked as each
 *   statement is sent, and not only as an operation begins. A heartbeat that is lost and comes back counts as a notification of everything.
 * - **One answer, several servers.** Later reads of an operation rest on earlier ones. They go to the same replica, whose state only goes forward, or
 *   from there to the primary, which is ahead of all, and never back.
 * - **Failures.** A statement that fails on a replica (a conflict with recovery, a time-out after half the time there is, a lost connection) is sent
 *   to the primary once.
 * - **The primary away.** Then there is no heartbeat, and after `freshnessMs` no replica is used, although it may be alive: cached responses are
 *   given as stale, as without replicas.
 */
export const createReplicas = ({ urls, primary, schema, freshnessMs, log, ...options }: Options): Replicas => {
  const positions = followPrimary({
    freshnessMs,
    onPosition: () => {
      for (const replica of all) replica.onPrimaryPosition();
    },
    log,
  });
  const all: readonly Replica[] = urls.map((url) =>
    createReplica({ ...options, url, freshnessMs, log, positions: () => positions }),
  );
  const stats: ReplicaStats = { primary: 0, chosen: new Map(), passedOver: new Map() };

  const askPrimary: Query = (config) => primary.query(config);

  const openReplica = <Reads>(replica: Replica, createReads: CreateReads<Reads>) => {
    let cohort: Cohort<Reads> | undefined;
    /** Where the cohort whose read Prisma runs sends its statements: a client of its own for each cohort would cost too much. */
    const routes = new AsyncLocalStorage<Query>();
    const prisma = prismaIn(
      schema,
      poolOf((config) => (routes.getStore() ?? askPrimary)(config)),
    );
    const prismaBy = (route: Query): PrismaClient =>
      prisma.$extends({
        // Awaited inside: a promise of Prisma's begins where it is awaited.
        query: { $allOperations: ({ args, query }) => routes.run(route, async () => await query(args)) },
        // It has the same methods.
      }) as unknown as PrismaClient;

    /** Sends the statements of a cohort. */
    const routeOf =
      (own: () => Cohort<Reads>): Query =>
      async (config) => {
        const members = own();
        const leave: typeof askPrimary = () => {
          members.isLeft = true;
          return askPrimary(config);
        };
        if (members.isLeft || !replica.isCurrent()) return leave(config);
        try {
          return await replica.query(config);
        } catch {
          return leave(config);
        }
      };

    const join = (): Reads => {
      if (!cohort || cohort.isLeft) {
        const route = routeOf(() => next);
        const sql = createSql({ query: route as Pool['query'] });
        const next: Cohort<Reads> = { reads: createReads({ sql, prisma: prismaBy(route) }), isLeft: false };
        cohort = next;
      }
      return cohort.reads;
    };
    return { replica, join };
  };

  const passOver = ({ name }: Replica, obstacle: NonNullable<Obstacle>): void => {
    const counts = stats.passedOver.get(name) ?? new Map<NonNullable<Obstacle>, number>();
    stats.passedOver.set(name, counts);
    counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  };

  return {
    observer: positions.observer,
    all,
    stats,
    statementCount: () => all.reduce((sum, replica) => sum + replica.statementCount(), 0),
    serve: (createReads) => {
      const servers = all.map((replica) => openReplica(replica, createReads));
      let turn = 0;
      return {
        choose: () => {
          let best: (typeof servers)[number] | undefined;
          let least = Number.POSITIVE_INFINITY;
          turn += 1;
          for (let index = 0; index < servers.length; index += 1) {
            const server = servers[(turn + index) % servers.length];
            if (!server) continue;
            const obstacle = server.replica.obstacle();
            if (obstacle) {
              passOver(server.replica, obstacle);
              continue;
            }
            const { totalCount, idleCount, waitingCount } = server.replica.pool;
            const busy = totalCount - idleCount + waitingCount;
            if (busy >= least) continue;
            best = server;
            least = busy;
          }
          if (!best) {
            stats.primary += 1;
            return undefined;
          }
          const { name, asOfMs } = best.replica;
          stats.chosen.set(name, (stats.chosen.get(name) ?? 0) + 1);
          return { reads: best.join(), asOfMs: asOfMs() };
        },
      };
    },
    close: async () => {
      await Promise.all(all.map((replica) => replica.close()));
    },
  };
};
