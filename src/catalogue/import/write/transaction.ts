import pg, { type ClientBase } from 'pg';
import type { Fault } from '../value.ts';

/** The connection was lost while the server was asked to commit: the rows are in, or none of them. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export interface TransactionOptions {
  readonly client: ClientBase;
  /** The caller has a transaction open, and ends it. */
  readonly isInTransaction: boolean;
  readonly onFault: (fault: Fault) => void;
}

const MAX_ATTEMPTS = 5;

/**
 * Another writer may hold rows in another order: whoever is told of the deadlock begins anew. Faults are told once it is committed, for those
 * of an attempt that is taken back are found again by the next.
 */
export const transaction = async <Result>(
  options: TransactionOptions,
  work: (onFault: (fault: Fault) => void) => Promise<Result>,
  attempt = 1,
): Promise<Result> => {
  const { client, isInTransaction, onFault } = options;
  if (isInTransaction) return work(onFault);
  const faults: Fault[] = [];
  await client.query('begin');
  try {
    const result = await work((fault) => faults.push(fault));
    await client.query('commit').catch((error: unknown) => {
      // The server has said no, or nothing any more.
      throw error instanceof pg.DatabaseError ? error : new UnknownOutcomeError(error);
    });
    for (const fault of faults) onFault(fault);
    return result;
  } catch (error) {
    // A client that cannot roll back has lost its connection, and the server rolls back.
    await client.query('rollback').catch(() => undefined);
    if (isConflict(error) && attempt < MAX_ATTEMPTS) return transaction(options, work, attempt + 1);
    throw error;
  }
};

/** A part that can be undone alone. */
export const savepoint = async <T>(client: ClientBase, work: () => Promise<T>): Promise<T> => {
  await client.query('savepoint part');
  try {
    const result = await work();
    await client.query('release savepoint part');
    return result;
  } catch (error) {
    if (error instanceof pg.DatabaseError) await client.query('rollback to savepoint part');
    throw error;
  }
};

const sqlState = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** A deadlock, or a serialisation failure. */
const isConflict = (error: unknown): boolean => sqlState(error).startsWith('40');

/** Data exceptions, violated constraints, and what triggers raise: the fault of a row, not of the database. */
export const isFaultOfARow = (error: unknown): boolean => /^(22|23|P0001)/.test(sqlState(error));
