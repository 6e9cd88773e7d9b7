import type { GatheredPolicy } from '../cache/policy.ts';
import {
  type CategoryLoaders,
  type CategoryReads,
  createCategoryLoaders,
  createCategoryReads,
} from '../category/category.loader.ts';
import type { Clock } from '../database/clock.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { CreateReads, Replicas } from '../database/replicas/replicas.ts';
import type { Sql } from '../database/sql.ts';
import {
  createNoticeLoaders,
  createNoticeReads,
  type NoticeLoaders,
  type NoticeReads,
} from '../notice/notice.loader.ts';
import type { ViewCounter } from '../notice/view-counter.ts';
import { traceReads } from '../observability/traced-reads.ts';
import type { Tracing } from '../observability/tracing.ts';
import {
  createProductLoaders,
  createProductReads,
  type ProductLoaders,
  type ProductReads,
} from '../product/product.loader.ts';
import type { OperationContext, Views } from './context.ts';
import { InFlight } from './in-flight.ts';
import { RowBudget } from './limits/row-budget.ts';

/** What the loaders of all operations share. */
interface Reads {
  readonly product: ProductReads;
  readonly category: CategoryReads;
  readonly notice: NoticeReads;
}

/** The loaders of one operation: they batch and remember within it, never beyond. Each feature's are made when first used. */
export class Loaders {
  readonly #reads: Reads;
  readonly #policy: GatheredPolicy;
  readonly #now: Date;
  readonly #views: Views;
  readonly #inFlight = new InFlight();
  #product: ProductLoaders | undefined;
  #category: CategoryLoaders | undefined;
  #notice: NoticeLoaders | undefined;

  constructor(reads: Reads, policy: GatheredPolicy, now: Date, views: Views) {
    this.#reads = reads;
    this.#policy = policy;
    this.#now = now;
    this.#views = views;
  }

  get product(): ProductLoaders {
    this.#product ??= createProductLoaders(
      this.#reads.product,
      this.#policy,
      this.#now,
      this.#inFlight,
      this.category.remember,
    );
    return this.#product;
  }

  get category(): CategoryLoaders {
    this.#category ??= createCategoryLoaders(this.#reads.category, this.#policy, this.#inFlight);
    return this.#category;
  }

  get notice(): NoticeLoaders {
    this.#notice ??= createNoticeLoaders(this.#reads.notice, this.#policy, this.#now, this.#views);
    return this.#notice;
  }
}

/** Makes the context of one operation. */
export type CreateContext = (policy: GatheredPolicy, views: Views) => OperationContext;

interface Deps {
  readonly prisma: PrismaClient;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly viewCounter: ViewCounter;
  readonly tracing: Tracing;
  /** Of one operation. */
  readonly maxRows: number;
  readonly replicas?: Replicas | undefined;
}

export const contextFactory = async ({
  prisma,
  sql,
  clock,
  viewCounter,
  tracing,
  maxRows,
  replicas,
}: Deps): Promise<CreateContext> => {
  const createReads: CreateReads<Reads> = (readPrisma, readSql) => ({
    product: traceReads(tracing, 'product', createProductReads(readSql)),
    category: traceReads(tracing, 'category', createCategoryReads(readPrisma, readSql)),
    notice: traceReads(tracing, 'notice', createNoticeReads(readSql, viewCounter)),
  });
  const primary = createReads(prisma, sql);
  const servers = await replicas?.serve(createReads);

  const chooseReads = (policy: GatheredPolicy): Reads => {
    const chosen = servers && policy.asOfMs !== undefined ? servers.choose() : undefined;
    if (!chosen) return primary;
    policy.readsAsOf(chosen.asOfMs);
    return chosen.reads;
  };

  return (policy, views) => {
    const now = new Date(clock.nowMs());
    const loaders = new Loaders(chooseReads(policy), policy, now, views);
    return { prisma, loaders, policy, rowBudget: new RowBudget(maxRows), now };
  };
};
