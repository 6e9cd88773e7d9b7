import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/client/client.ts';
import { poolOf, prismaIn, type Query } from '../pool.ts';
import { createSql, type Sql } from '../sql.ts';
import { createReplica, type Obstacle, type Replica, type ReplicaOptions } from './replica.ts';
import { followPrimary } from './wal-position.ts';

/** Servers that are read instead of the primary. */
export type Replicas = ReturnType<typeof createReplicas>;

type CreateReads<Reads> = (clients: { readonly sql: Sql; readonly prisma: PrismaClient }) => Reads;

interface ReadServers<Reads> {
  /** The reads of an operation that begins now, and how old they may be; undefined for the primary. */
  readonly choose: () => { readonly reads: Reads; readonly asOfMs: number } | undefined;
}

interface ReplicaStats {
  /** Operations that were left to the primary. */
  primary: number;
  /** Operations, by the name of the replica that was chosen. */
  readonly chosen: Map<string, number>;
  /** How often a replica could not be chosen, by its name and why. */
  readonly passedOver: Map<string, Map<NonNullable<Obstacle>, number>>;
}

interface Options extends Omit<ReplicaOptions, 'url' | 'positions'> {
  readonly urls: readonly string[];
  /** The primary. */
  readonly primary: Pool;
  /** The schema of the tables. */
  readonly schema: string;
}

/** Operations that began on a replica. When one statement goes to the primary, so do all later ones: no read is older than an earlier one. */
interface Cohort<Reads> {
  readonly reads: Reads;
  isLeft: boolean;
}

/**
 * Reads from replicas that miss no commit which was acknowledged more than `freshnessMs` before, nor any that was notified: docs/architecture.md has
 * the proof, in step 10. What fails there (a conflict with recovery, half of the time there is, a lost connection) is sent to the primary once. While
 * the primary is away there is no heartbeat, and no replica is used, although it may be alive.
 */
export const createReplicas = ({ urls, primary, schema, freshnessMs, log, ...options }: Options) => {
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

  /** Whether the replica can be read; counts why not. */
  const isUsable = ({ name, obstacle }: Replica): boolean => {
    const why = obstacle();
    if (!why) return true;
    const counts = stats.passedOver.get(name) ?? new Map<NonNullable<Obstacle>, number>();
    stats.passedOver.set(name, counts.set(why, (counts.get(why) ?? 0) + 1));
    return false;
  };

  return {
    /** For the connection of the heartbeat. */
    observer: positions.observer,
    all,
    stats,
    /** Statements sent so far. */
    statementCount: (): number => all.reduce((sum, replica) => sum + replica.statementCount(), 0),
    /** @param createReads makes the loaders of an operation, for each server */
    serve: <Reads>(createReads: CreateReads<Reads>): ReadServers<Reads> => {
      const servers = all.map((replica) => openReplica(replica, createReads));
      let turn = 0;
      return {
        choose: () => {
          let best: (typeof servers)[number] | undefined;
          let least = Number.POSITIVE_INFINITY;
          turn += 1;
          for (let index = 0; index < servers.length; index += 1) {
            const server = servers[(turn + index) % servers.length];
            if (!server || !isUsable(server.replica)) continue;
            const { totalCount, idleCount, waitingCount } = server.replica.pool;
            const busy = totalCount - idleCount + waitingCount;
            if (busy < least) [best, least] = [server, busy];
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
    close: async (): Promise<void> => {
      await Promise.all(all.map((replica) => replica.close()));
    },
  };
};
