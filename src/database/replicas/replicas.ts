import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/client/client.ts';
import { poolOf, type Query } from '../pool.ts';
import { createSql, type Sql } from '../sql.ts';
import { Replica, type ReplicaOptions } from './replica.ts';
import { followPrimary } from './wal-position.ts';

/** Servers that are read instead of the primary. */
export type Replicas = ReturnType<typeof createReplicas>;

type CreateReads<Reads> = (clients: { readonly sql: Sql; readonly prisma: PrismaClient }) => Reads;

interface ReadServers<Reads> {
  /** The reads of an operation that begins now, and how old they may be; undefined for the primary. */
  readonly choose: () => { readonly reads: Reads; readonly asOfMs: number } | undefined;
}

interface Options extends Omit<ReplicaOptions, 'url' | 'positions'> {
  readonly urls: readonly string[];
  /** The primary. */
  readonly primary: Pool;
  readonly prismaOn: (pool: Pool) => PrismaClient;
}

/** Operations that began on a replica. When one statement goes to the primary, so do all later ones: no read is older than an earlier one. */
interface Cohort<Reads> {
  readonly reads: Reads;
  isLeft: boolean;
}

/** One replica, and the cohort of operations that reads there. */
class ReadServer<Reads> {
  readonly replica: Replica;
  readonly #primary: Pool;
  readonly #createReads: CreateReads<Reads>;
  /** Where the cohort whose read Prisma runs sends its statements: a client of its own for each cohort would cost too much. */
  readonly #routes = new AsyncLocalStorage<Query>();
  readonly #prisma: PrismaClient;
  #cohort: Cohort<Reads> | undefined;

  constructor(replica: Replica, { primary, prismaOn, createReads }: ReadServerOptions<Reads>) {
    this.replica = replica;
    this.#primary = primary;
    this.#createReads = createReads;
    const route: Query = (config) => (this.#routes.getStore() ?? this.#askPrimary)(config);
    this.#prisma = prismaOn(poolOf(route));
  }

  /** The reads of an operation that begins now. */
  join(): Reads {
    if (this.#cohort && !this.#cohort.isLeft) return this.#cohort.reads;
    const route = this.#routeOf(() => cohort);
    const sql = createSql({ query: route as Pool['query'] });
    const cohort: Cohort<Reads> = { reads: this.#createReads({ sql, prisma: this.#prismaBy(route) }), isLeft: false };
    this.#cohort = cohort;
    return cohort.reads;
  }

  readonly #askPrimary: Query = (config) => this.#primary.query(config);

  /** Sends the statements of a cohort. */
  #routeOf(own: () => Cohort<Reads>): Query {
    return async (config) => {
      const cohort = own();
      const leave = () => {
        cohort.isLeft = true;
        return this.#askPrimary(config);
      };
      if (cohort.isLeft || !this.replica.isCurrent()) return leave();
      try {
        return await this.replica.query(config);
      } catch {
        return leave();
      }
    };
  }

  #prismaBy(route: Query): PrismaClient {
    return this.#prisma.$extends({
      // Awaited inside: a promise of Prisma's begins where it is awaited.
      query: { $allOperations: ({ args, query }) => this.#routes.run(route, async () => await query(args)) },
      // It has the same methods.
    }) as unknown as PrismaClient;
  }
}

interface ReadServerOptions<Reads> extends Pick<Options, 'primary' | 'prismaOn'> {
  readonly createReads: CreateReads<Reads>;
}

/**
 * Reads from replicas that miss no commit which was acknowledged more than `freshnessMs` before, nor any that was notified: docs/architecture.md has
 * the proof, in step 10. What fails there (a conflict with recovery, half of the time there is, a lost connection) is sent to the primary once. While
 * the primary is away there is no heartbeat, and no replica is used, although it may be alive.
 */
export const createReplicas = ({ urls, primary, prismaOn, freshnessMs, log, ...options }: Options) => {
  const positions = followPrimary({
    freshnessMs,
    onPosition: () => {
      for (const replica of all) replica.onPrimaryPosition();
    },
    log,
  });
  const all: readonly Replica[] = urls.map(
    (url) => new Replica({ ...options, url, freshnessMs, log, positions: () => positions }),
  );
  /** Operations that were left to the primary. */
  const stats = { primary: 0 };

  return {
    /** For the connection of the heartbeat. */
    observer: positions.observer,
    all,
    stats,
    /** Statements sent so far. */
    statementCount: (): number => all.reduce((sum, replica) => sum + replica.statementCount(), 0),
    /** @param createReads makes the loaders of an operation, for each server */
    serve: <Reads>(createReads: CreateReads<Reads>): ReadServers<Reads> => {
      const servers = all.map((replica) => new ReadServer(replica, { primary, prismaOn, createReads }));
      let turn = 0;
      return {
        choose: () => {
          turn = (turn + 1) % servers.length;
          const inTurn = [...servers.slice(turn), ...servers.slice(0, turn)];
          const server = inTurn.find(({ replica }) => replica.isChosen());
          if (server) return { reads: server.join(), asOfMs: server.replica.asOfMs() };
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
