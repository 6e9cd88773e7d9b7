import type { CacheUse, Door, OperationCounts, RequestCounts } from './request-counts.ts';
import type { RequestSpan } from './tracing.ts';

interface Origin {
  readonly requestId: string;
  readonly method: string;
  /** Without the query, which may hold what is nobody's business. */
  readonly path: string;
  /** By `performance.now()`. */
  readonly startMs: number;
  /** In its trace, where there is one. */
  readonly span: RequestSpan | undefined;
}

/** What is told of one request once it is answered: by the log, the metrics, `Server-Timing` and the trace. */
export class RequestRecord {
  readonly origin: Origin;
  readonly #requests: RequestCounts;
  counts: OperationCounts;
  cache: CacheUse = 'none';
  /** The code of the error that it ended with, if it did. */
  code: string | undefined = undefined;
  /** Whether it was refused because too much was asked for at once. */
  isShed = false;
  /** Sent for this request; one that it shares with others is put down to the one that came first. */
  statements = 0;
  /** What these took, with the wait for a connection. Those that ran side by side are added up. */
  databaseMs = 0;

  constructor(origin: Origin, requests: RequestCounts) {
    this.origin = origin;
    this.#requests = requests;
    this.counts = firstCounts(origin.path, requests);
  }

  /** Says which operation it turned out to be. @param route its path, with parameters in braces */
  isFor(door: Door, operation: string, route?: string): void {
    this.counts = this.#requests.of(door, operation, route);
  }
}

const OTHER: Readonly<Record<string, string>> = { '/livez': 'health', '/readyz': 'health', '/metrics': 'metrics' };

/** What can be said before anybody has looked at the request. */
const firstCounts = (path: string, requests: RequestCounts): OperationCounts => {
  if (path === '/graphql') return requests.of('graphql', 'none', path);
  if (path.startsWith('/api/')) return requests.of('rest', 'none');
  return requests.of('other', OTHER[path] ?? 'page');
};
