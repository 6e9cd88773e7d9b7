import type { GatheredPolicy } from '../cache/policy.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { LazyLog } from '../observability/log.ts';
import type { RequestRecord } from '../observability/request-record.ts';
import type { RowBudget } from './limits/row-budget.ts';
import type { Loaders } from './loaders.ts';

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
  readonly record: RequestRecord;
}

/** What reading the detail of a notice does: nothing; count a view at once; or leave a slot for the number of a view that is counted afterwards. */
export type Views = 'uncounted' | 'counted' | 'deferred';

/** What the resolvers of one operation share. */
export interface OperationContext {
  readonly prisma: PrismaClient;
  readonly loaders: Loaders;
  /** What the answer rests on; resolvers and loaders add to it. */
  readonly policy: GatheredPolicy;
  readonly rowBudget: RowBudget;
  /** The database's clock when the operation began: every field of one answer speaks of the same moment. */
  readonly now: Date;
}
