import { LRUCache } from 'lru-cache';
import type { OperationCounts } from '../observability/counts.ts';
import type { WrittenFailure } from './cached-http-response.ts';

/** The responses to requests that fail in the same way at any time and for every caller, by the bytes of the requests. */
export interface KnownFailures {
  readonly find: (key: string) => KnownFailure | undefined;
  readonly learn: (key: string, failure: KnownFailure) => void;
}

export interface KnownFailure {
  readonly response: WrittenFailure;
  readonly code: string;
  /** Of the operation, for the metrics. */
  readonly counts: OperationCounts;
}

/** Clients can make up any number of requests that fail: this bounds what is kept of them. */
const MAX_BYTES = 1_048_576;

const ENTRY_OVERHEAD_BYTES = 500;
const BYTES_PER_CHAR = 2;

/** Without its failure remembered, a document that does not validate costs four times as much, and a parameter half as much again (`npm run bench:errors`). */
export const createKnownFailures = (): KnownFailures => {
  const failures = new LRUCache<string, KnownFailure>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ response: { lines, body } }, key) =>
      key.length * BYTES_PER_CHAR + lines.length + body.length + ENTRY_OVERHEAD_BYTES,
  });
  return {
    find: (key) => failures.get(key),
    learn: (key, failure) => void failures.set(key, failure),
  };
};
