import type { Dependencies } from '../cache/dependencies.ts';
import type { KnownRows } from '../cache/known-rows.ts';
import type { Clock } from '../database/clock.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { type OperationClients, OperationPrisma, visibleRules } from '../database/prisma.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { Sql } from '../database/sql.ts';
import type { VisibleBy } from '../database/visible-rows.ts';
import type { Language, Languages } from '../language/languages.ts';
import type { Metric } from '../observability/metrics.ts';

/** What the resolvers of one operation share. */
export interface OperationContext extends OperationClients {
  readonly loaders: Loaders;
  /** What the response depends on; resolvers and loaders add to it. */
  readonly dependencies: Dependencies;
  readonly rowCount: RowCount;
  /** The time of every field of the response: the database's clock when the operation began, or the time of a preview. */
  readonly now: Date;
  /** The language of the response. */
  readonly language: Language;
  /** The languages that are configured. */
  readonly languages: Languages;
  readonly changes?: Changes;
}

/** The ids of rows that have changed, or everything where they are not known. */
export interface Changes {
  readonly products: readonly number[];
  readonly categories: readonly number[];
  readonly notices: readonly number[];
  readonly everything: boolean;
}

/** The rows that the lists of one operation have returned, and how many they may. */
export interface RowCount {
  rows: number;
  readonly maximum: number;
}

/** What a feature reads with, for one server of the database. */
export interface ReadDeps {
  readonly sql: Sql;
  /** It reports no reads: what operations share is read for several of them. */
  readonly prisma: PrismaClient;
  /** Undefined where rows are read from a server that may be behind what has been notified. */
  readonly knownRows?: KnownRows | undefined;
  /** What the feature makes by `createLate`. */
  readonly late?: LateSource | undefined;
}

/** What takes the late values of a feature, for all operations of a gateway. */
export interface LateSource {
  /** @param id of the row @returns what {@link LateValue.take} resolves to */
  readonly take: (id: number) => Promise<number | null>;
  readonly metrics: readonly Metric[];
}

/** What a feature's loaders are made of, for one operation. */
export interface LoaderScope {
  /** With `takesLate` rows have their late values, and else what is stored. */
  readonly dependencies: Dependencies;
  readonly now: Date;
  readonly language: Language;
  readonly inFlight: InFlight;
  readonly loaders: Loaders;
}

/** The loaders of one operation, by feature: each adds its own to this interface. They batch and remember rows for this operation only. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging
export interface Loaders {}

/** The part of a feature that its loaders need. */
export interface FeatureLoaders {
  /** Also the name of its loaders, in camel case. */
  readonly table: string;
  /** Which of its rows resolvers see by Prisma. Without: all. */
  readonly visibleBy?: VisibleBy;
  /** Makes what takes the late values of its rows, once for a gateway. Without: its rows have none. */
  readonly createLate?: (
    deps: Pick<ReadDeps, 'sql'> & Pick<Deps, 'clock'> & { readonly timeoutMs: number },
  ) => LateSource;
  /** Creates what the loaders of all operations share; the result creates those of one operation. */
  readonly createLoaders: (deps: ReadDeps) => CreateLoaders;
}

type CreateLoaders = (scope: LoaderScope) => object;

type CreateLoadersOfAll = readonly (readonly [name: string, create: CreateLoaders])[];

export interface CreateContext {
  /** @param now by default the time of the database @param language by default that of the tables */
  (dependencies: Dependencies, now?: Date, language?: Language): OperationContext;
  readonly during: OperationPrisma['during'];
}

interface Deps extends Omit<ReadDeps, 'late'> {
  readonly features: readonly FeatureLoaders[];
  /** By their tables. */
  readonly lateSources: ReadonlyMap<string, LateSource>;
  readonly clock: Clock;
  readonly languages: Languages;
  /** For one operation. */
  readonly maxRows: number;
  readonly replicas?: Replicas | undefined;
}

export const createContextFactory = (deps: Deps): CreateContext => {
  const { features, lateSources, prisma, sql, clock, languages, knownRows, maxRows, replicas } = deps;
  const operationPrisma = new OperationPrisma(prisma, visibleRules(features), clock.nowMs);
  const createReads = (clients: Pick<ReadDeps, 'sql' | 'prisma' | 'knownRows'>): CreateLoadersOfAll =>
    features.map(({ table, createLoaders }) => {
      const createOwn = createLoaders({ ...clients, late: lateSources.get(table) });
      return [inCamelCase(table), createOwn];
    });
  const primary = createReads({ sql, prisma, knownRows });
  const servers = replicas?.serve(createReads);

  const chooseReads = (dependencies: Dependencies): CreateLoadersOfAll => {
    const chosen = servers?.choose(dependencies.asOfMs !== undefined);
    if (!chosen) return primary;
    dependencies.readsAsOf(chosen.asOfMs);
    return chosen.reads;
  };

  const create = (
    dependencies: Dependencies,
    now = new Date(clock.nowMs()),
    language = languages.default,
  ): OperationContext => {
    const loaders: Record<string, object> = {};
    const scope = { dependencies, now, language, inFlight: new InFlight(), loaders: loaders as unknown as Loaders };
    for (const [name, createLoaders] of chooseReads(dependencies)) loaders[name] = createLoaders(scope);
    return {
      ...operationPrisma.clients,
      loaders: scope.loaders,
      dependencies,
      rowCount: { rows: 0, maximum: maxRows },
      now,
      language,
      languages,
    };
  };
  return Object.assign(create, { during: operationPrisma.during.bind(operationPrisma) });
};

const inCamelCase = (table: string): string => table.replace(/_./g, ([, letter = '']) => letter.toUpperCase());

/** The reads that one operation waits for, so that what their rows refer to can be read together. */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  track<Value>(read: Promise<Value>): Promise<Value> {
    this.#count += 1;
    const done = (): void => {
      this.#count -= 1;
      if (this.#count === 0) this.#release();
    };
    read.then(done, done);
    return read;
  }

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Calls back when no tracked read is pending and the resolvers have seen its rows. */
  whenIdle(callback: () => void): void {
    this.#waiting.push(callback);
    if (this.#count === 0) this.#release();
  }

  #release(): void {
    // After the promise jobs in which the resolvers of the last rows load what these refer to.
    setImmediate(() => {
      if (this.#count > 0) return;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const callback of waiting) callback();
    });
  }
}
