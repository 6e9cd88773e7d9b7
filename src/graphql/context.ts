import type { CacheHints } from '../cache/hints.ts';
import type { Clock } from '../database/clock.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { Sql } from '../database/sql.ts';
import type { LazyLog } from '../observability/log.ts';
import type { RequestContext } from '../observability/request-observer.ts';
import type { Tracing } from '../observability/tracing.ts';
import { RowBudget } from './limits/list-size.ts';

/** What the door that took a request says about it. */
export interface Caller {
  /**
   * Lets it in, by what the operation selects on the query root. Undefined where that is known at once.
   * @throws (in the promise) AppError UNAUTHENTICATED
   */
  readonly admit: (rootFields: ReadonlySet<string>) => Promise<void> | undefined;
  /** Whether notice detail counts as a view: not for HEAD, which looks without being one. */
  readonly countViews: boolean;
  /** Writes the request's id into every line. */
  readonly log: LazyLog;
  /** What is told of the request. */
  readonly requestContext: RequestContext;
}

/** Whether reading the detail of a notice counts a view: once the operation has succeeded, so the answer holds a slot for the view's number. */
export type Views = 'uncounted' | 'counted';

/** A row that another one refers to was gone when it was read: it was deleted between two statements of the operation. */
export class RowVanished extends Error {
  override readonly name = 'RowVanished';
}

/** What the resolvers of one operation share. */
export interface OperationContext {
  readonly prisma: PrismaClient;
  readonly loaders: Loaders;
  /** What the answer rests on; resolvers and loaders add to it. */
  readonly hints: CacheHints;
  readonly rowBudget: RowBudget;
  /** The database's clock when the operation began: every field of one answer speaks of the same moment. */
  readonly now: Date;
}

/** What a feature reads with, for one server of the database. */
export interface ReadDeps {
  readonly prisma: PrismaClient;
  readonly sql: Sql;
  readonly tracing: Tracing;
}

/** What a feature's loaders are made of, for one operation. */
export interface LoaderScope {
  readonly hints: CacheHints;
  readonly now: Date;
  readonly views: Views;
  readonly inFlight: InFlight;
  /** All of this operation. */
  readonly loaders: Loaders;
}

/** The loaders of one operation, by feature: each adds its own to this interface. They batch and remember within it, never beyond. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging
export interface Loaders {}

/** A feature as far as its loaders go. */
export interface FeatureLoaders {
  /** The name of its loaders, too. */
  readonly table: string;
  /** Makes what the loaders of all operations share, and gives what makes those of one. */
  readonly createLoaders: (deps: ReadDeps) => CreateLoaders;
}

type CreateLoaders = (scope: LoaderScope) => object;

/** Each feature's loaders are made when first used: most operations use few. */
const lazyLoaders = (features: readonly FeatureLoaders[]) => {
  class LazyLoaders {
    readonly create: readonly CreateLoaders[];
    readonly scope: LoaderScope;
    readonly made: (object | undefined)[] = [];

    constructor(create: readonly CreateLoaders[], scope: Omit<LoaderScope, 'loaders'>) {
      this.create = create;
      this.scope = { ...scope, loaders: this as unknown as Loaders };
    }
  }
  for (const [index, { table }] of features.entries()) {
    Object.defineProperty(LazyLoaders.prototype, table, {
      get(this: LazyLoaders): object | undefined {
        this.made[index] ??= this.create[index]?.(this.scope);
        return this.made[index];
      },
    });
  }
  return (create: readonly CreateLoaders[], scope: Omit<LoaderScope, 'loaders'>): Loaders =>
    new LazyLoaders(create, scope) as unknown as Loaders;
};

/** Makes the context of one operation. */
export type CreateContext = (hints: CacheHints, views: Views) => OperationContext;

interface Deps extends ReadDeps {
  readonly features: readonly FeatureLoaders[];
  readonly clock: Clock;
  /** Of one operation. */
  readonly maxRows: number;
  readonly replicas?: Replicas | undefined;
}

export const contextFactory = async ({
  features,
  prisma,
  sql,
  clock,
  tracing,
  maxRows,
  replicas,
}: Deps): Promise<CreateContext> => {
  const createReads = (readPrisma: PrismaClient, readSql: Sql): CreateLoaders[] =>
    features.map(({ createLoaders }) => createLoaders({ prisma: readPrisma, sql: readSql, tracing }));
  const createLoaders = lazyLoaders(features);
  const primary = createReads(prisma, sql);
  const servers = await replicas?.serve(createReads);

  const chooseReads = (hints: CacheHints): CreateLoaders[] => {
    const chosen = servers && hints.asOfMs !== undefined ? servers.choose() : undefined;
    if (!chosen) return primary;
    hints.readsAsOf(chosen.asOfMs);
    return chosen.reads;
  };

  return (hints, views) => {
    const now = new Date(clock.nowMs());
    const scope = { hints, now, views, inFlight: new InFlight() };
    const loaders = createLoaders(chooseReads(hints), scope);
    return { prisma, loaders, hints, rowBudget: new RowBudget(maxRows), now };
  };
};

/** The reads that one operation waits for, so that what follows from several of them can be read together. */
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

  /** Whether none is under way. */
  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Calls back when no tracked read is under way and what they brought has been looked through. */
  whenIdle(callback: () => void): void {
    this.#waiting.push(callback);
    if (this.#count === 0) this.#release();
  }

  #release(): void {
    // Later than the promise jobs in which the resolvers of the last rows ask for what follows from them.
    setImmediate(() => {
      if (this.#count > 0) return;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const callback of waiting) callback();
    });
  }
}

/** Remembers what was loaded for each key, so that one operation sees one state of it and asks for it once. */
export const memo = <Key, Value>(load: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  // Made when first used: most operations use few of their memos.
  let known: Map<Key, Promise<Value>> | undefined;
  return (key) => {
    known ??= new Map();
    let value = known.get(key);
    if (!value) {
      value = load(key);
      known.set(key, value);
    }
    return value;
  };
};
