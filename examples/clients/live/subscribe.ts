import { createClient, type ExecutionResult, NetworkError, type RequestParams } from 'graphql-sse';

interface Listener<Data> {
  next(result: ExecutionResult<Data>): void;
  /** The subscription would fail again: there are no more results. */
  error(error: unknown): void;
}

const LONGEST_WAIT_MS = 10_000;

/** Subscriptions that outlast restarts and outages. @param headers of each attempt, so that a token may be renewed */
export const createLive = (url: string, headers: () => Record<string, string> = () => ({})) => {
  // By itself, graphql-sse ends with the gateway, and gives up some 40 seconds after any failure, be it a 401.
  const client = createClient({ url, headers, retryAttempts: 0 });

  /** @returns what ends the subscription */
  return <Data>(request: RequestParams, listener: Listener<Data>): (() => void) => {
    let isOver = false;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop: () => void;

    const fail = (error: unknown): void => {
      isOver = true;
      listener.error(error);
    };

    const tryAgain = (): void => {
      // At random, or all clients would come at once.
      if (!isOver) timer = setTimeout(start, Math.random() * Math.min(1000 * 2 ** failures, LONGEST_WAIT_MS));
      failures += 1;
    };

    const start = (): void => {
      let hasBegun = false;
      let faults: ExecutionResult['errors'];
      stop = client.subscribe<Data>(request, {
        next: (result) => {
          if (!result.data) {
            faults = result.errors;
            return;
          }
          hasBegun = true;
          failures = 0;
          listener.next(result as ExecutionResult<Data>);
        },
        // The gateway stops, or the token has expired. What fails before its first result would fail again.
        complete: () => (faults && !hasBegun ? fail(new AggregateError(faults, faults[0]?.message)) : tryAgain()),
        error: (error) => (isRefusal(error) ? fail(error) : tryAgain()),
      });
    };

    start();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  };
};

/** Whether the next attempt would have the same answer: a 401, say, but not the 502 of a proxy or the 503 of a gateway that is full. */
const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof NetworkError)) return true;
  const status = error.response?.status ?? 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
};
