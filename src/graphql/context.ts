import type { Logger } from 'pino';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { Loaders } from './loaders.ts';

/** What the door that took a request says about it. */
export interface Caller {
  /** Whether it may read what is not public. */
  readonly isGranted: boolean;
  /** Whether notice detail counts as a view. */
  readonly countViews: boolean;
  /** Writes the request's id into every line. */
  readonly log: Logger;
}

/** What the resolvers of one operation share. */
export interface OperationContext extends Caller {
  readonly prisma: PrismaClient;
  readonly loaders: Loaders;
  /** The database's clock when the operation began: every field of one answer speaks of the same moment. */
  readonly now: Date;
}
