import pg, { type ClientBase } from 'pg';
import type { Fault } from '../record.ts';

export interface TransactionOptions {
  readonly client: ClientBase;
  /** Whether the caller has a transaction open, which it ends. */
  readonly isInTransaction: boolean;
  readonly onFault: (fault: Fault) => void;
}

/** The connection was lost during the commit, so nobody knows whether the rows are stored. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

const MAX_ATTEMPTS = 5;

/**
 * Runs the work in a transaction, and again after a deadlock with another writer. Its faults are reported after the commit, because the next
 * attempt finds those of a rolled back one again.
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
    await commit(client);
    for (const fault of faults) onFault(fault);
    return result;
  } catch (error) {
    // If the connection is lost, the server rolls back by itself.
    await client.query('rollback').catch(() => undefined);
    if (isConflict(error) && attempt < MAX_ATTEMPTS) return transaction(options, work, attempt + 1);
    throw error;
  }
};

/** @throws UnknownOutcomeError if the connection is lost meanwhile */
export const commit = async (client: ClientBase): Promise<void> => {
  await client.query('commit').catch((error: unknown) => {
    // An error of the server's is a refusal; any other leaves the outcome open.
    throw error instanceof pg.DatabaseError ? error : new UnknownOutcomeError(error);
  });
};

/** Runs a part of a transaction that can be rolled back alone. */
export const savepoint = async <Result>(client: ClientBase, work: () => Promise<Result>): Promise<Result> => {
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

/** Data exceptions, violated constraints and errors raised by triggers are the fault of a row. */
export const isRowError = (error: unknown): boolean => /^(22|23|P0001)/.test(sqlState(error));
