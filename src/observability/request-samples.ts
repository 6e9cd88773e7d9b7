import { Distribution } from './distribution.ts';
import type { DistributionSample, Sample } from './prometheus-types.ts';
import { type CacheUse, DURATION_BOUNDS, type OperationCounts, type RequestCounts } from './request-counts.ts';

/** Requests by door, operation, status and use of the cache. */
export function* requestTotals({ all }: RequestCounts): Generator<Sample<'door' | 'operation' | 'status' | 'cache'>> {
  for (const { door, operation, byCache, recalled } of all()) {
    const statuses = new Map([
      [200, recalled.ok],
      [304, recalled.notModified],
    ]);
    for (const [status, count] of byCache.get('hit')?.statuses ?? []) {
      statuses.set(status, (statuses.get(status) ?? 0) + count);
    }
    const labelled = (cache: CacheUse, status: number) => ({ door, operation, status: String(status), cache });
    for (const [status, value] of statuses) if (value > 0) yield { labels: labelled('hit', status), value };
    for (const [cache, answered] of byCache) {
      if (cache === 'hit') continue;
      for (const [status, value] of answered.statuses) yield { labels: labelled(cache, status), value };
    }
  }
}

/** What their answers took. */
export function* requestDurations({
  all,
}: RequestCounts): Generator<DistributionSample<'door' | 'operation' | 'cache'>> {
  for (const counts of all()) {
    const { door, operation, byCache } = counts;
    const hits = hitDurations(counts);
    if (hits) yield { labels: { door, operation, cache: 'hit' }, distribution: hits };
    for (const [cache, { seconds }] of byCache) {
      if (cache !== 'hit') yield { labels: { door, operation, cache }, distribution: seconds };
    }
  }
}

/** Those that were timed, and in the first range those that were not. */
const hitDurations = ({ byCache, recalled }: OperationCounts): Distribution | undefined => {
  const timed = byCache.get('hit')?.seconds;
  const untimed = recalled.ok + recalled.notModified;
  if (!timed && untimed === 0) return undefined;
  const hits = new Distribution(DURATION_BOUNDS);
  hits.sum = timed?.sum ?? 0;
  for (const index of hits.counts.keys())
    hits.counts[index] = (timed?.counts[index] ?? 0) + (index === 0 ? untimed : 0);
  return hits;
};

/** Requests that ended with an error. */
export function* requestErrors({ errors }: RequestCounts): Generator<Sample<'door' | 'code'>> {
  for (const { door, code, count } of errors.values()) yield { labels: { door, code }, value: count };
}
