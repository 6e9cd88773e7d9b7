import { expect } from 'vitest';
import { type GraphqlResult, handle, type TestGateway } from './gateway.ts';

/** What has come of a stream of server-sent events. */
export interface Events {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The results of the events `next`, in order. */
  readonly results: readonly GraphqlResult[];
  readonly comments: () => number;
  /** Whether the event `complete` has come. */
  readonly isComplete: () => boolean;
  /** Whether the server has ended the response, or cut it. */
  readonly isOver: () => boolean;
  /** All that has come, without the comments. */
  readonly text: () => string;
}

export interface TestStream extends Events {
  /** As if the client had gone. */
  readonly leave: () => void;
  /** From now on nothing is read. */
  readonly stopReading: () => void;
}

/** Takes the parts of a stream as they come. */
const collect = () => {
  const results: GraphqlResult[] = [];
  let text = '';
  let read = 0;
  let comments = 0;
  let isComplete = false;

  const take = (block: string): void => {
    const [first = '', second = ''] = block.split('\n');
    if (first === ':') comments += 1;
    else if (first === 'event: complete' && second === 'data:') isComplete = true;
    else if (first === 'event: next') results.push(JSON.parse(second.slice('data: '.length)));
    else throw new Error(`This is no event: ${block}`);
  };

  return {
    results,
    comments: () => comments,
    isComplete: () => isComplete,
    text: () => text.replace(/^:\n\n/gm, ''),
    add: (part: string): void => {
      text += part;
      for (let end = text.indexOf('\n\n', read); end >= 0; end = text.indexOf('\n\n', read)) {
        take(text.slice(read, end));
        read = end + 2;
      }
    },
  };
};

export interface Asked {
  readonly extensions?: Record<string, unknown> | undefined;
  readonly variables?: Record<string, unknown> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Runs after the response has come, and before its stream begins. */
  readonly beforeStream?: (() => Promise<unknown>) | undefined;
}

const EVENTS = { accept: 'text/event-stream', 'content-type': 'application/json' };

/** Sends an operation as a POST that accepts events, and takes what the gateway streams, without a port. */
export const openStream = async (
  { app }: Pick<TestGateway, 'app'>,
  query: string | undefined,
  { variables, extensions, headers, beforeStream }: Asked = {},
): Promise<TestStream> => {
  const response = await handle(app, {
    method: 'POST',
    target: '/graphql',
    headers: { ...EVENTS, ...headers },
    body: JSON.stringify({ query, variables, extensions }),
  });
  await beforeStream?.();
  const { add, ...events } = collect();
  let isOver = false;
  let isReading = true;
  const end = (): void => {
    isOver = true;
  };
  const onClose = response.stream?.({
    write: (bytes) => {
      if (isReading) add(Buffer.from(bytes).toString());
      else isOver = true;
      return isReading;
    },
    hasUnread: () => false,
    end,
  });
  if (!response.stream) {
    add(Buffer.from(response.body ?? '').toString());
    end();
  }
  // The first event comes at once, but not in the same turn.
  if (response.stream) await expect.poll(() => isOver || events.results.length > 0).toBe(true);
  return {
    ...events,
    status: response.status,
    headers: response.headers,
    isOver: () => isOver,
    leave: () => onClose?.(),
    stopReading: () => {
      isReading = false;
    },
  };
};

/** Waits until the last result of a stream shows this. */
export const untilShown = ({ results }: Events, data: unknown): Promise<unknown> =>
  expect.poll(() => results.at(-1)?.data).toEqual(data);

/** Takes what comes as the body of a response. */
export const readStream = (response: Response): Events & { readonly leave: () => Promise<void> } => {
  const { add, ...events } = collect();
  let isOver = false;
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) break;
      add(decoder.decode(value, { stream: true }));
    }
  };
  // A stream may also break off.
  void read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  return {
    ...events,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    isOver: () => isOver,
    leave: async () => reader?.cancel(),
  };
};
