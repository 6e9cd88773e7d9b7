import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import { JSON_HEADERS } from './gateway.ts';
import type { Request } from './known-answers.ts';

/** What came of one view, through either API. */
export interface View {
  /** 0 where the connection broke before the whole answer was there: nobody knows whether it was counted. */
  readonly status: number;
  /** The count that was answered; undefined for an error. */
  readonly number: number | undefined;
  readonly retryAfter: string | null;
}

export type Api = 'rest' | 'graphql';

export const BROKEN: View = { status: 0, number: undefined, retryAfter: null };

/** The request that views a notice. */
export const viewRequest = (id: number, api: Api): Request =>
  api === 'rest'
    ? ['GET', `/api/notice/${id}`]
    : [
        'POST',
        '/graphql',
        JSON_HEADERS,
        JSON.stringify({ query: 'query ($id: Int!) { notice(id: $id) { viewCount } }', variables: { id } }),
      ];

/** What came of it. */
export const viewOf = (status: number, retryAfter: string | null, json: unknown): View => {
  const body = json as { viewCount?: number; data?: { notice?: { viewCount: number } | null } };
  return { status, number: body.viewCount ?? body.data?.notice?.viewCount, retryAfter };
};

/** Views a notice over a socket. Never rejects. */
export const view = async (url: string, id: number, api: Api = 'rest'): Promise<View> => {
  try {
    const [method, target, headers = {}, body] = viewRequest(id, api);
    const response = await fetch(url + target, { method, headers, body: body ?? null });
    return viewOf(response.status, response.headers.get('retry-after'), await response.json());
  } catch {
    return BROKEN;
  }
};

export const apiOf = (index: number): Api => (index % 2 === 0 ? 'rest' : 'graphql');

export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

export const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** The numbers that were answered, smallest first. */
export const numbersOf = (views: readonly View[]): number[] =>
  ascending(views.flatMap(({ number }) => (number === undefined ? [] : [number])));

export const stored = async ({ sql }: Pick<TestDatabase, 'sql'>, id: number): Promise<number> => {
  const [row] = await sql<{ view_count: string }>('select view_count from notice where id = $1', [id]);
  return Number(row?.view_count);
};

/** Resolves once no gateway is connected: the server goes on with a statement whose client was killed. */
export const untilGatewaysHaveGone = ({ sql }: TestDatabase): Promise<unknown> =>
  expect
    .poll(
      () => sql(`select pid from pg_stat_activity where datname = current_database() and application_name = 'vitrine'`),
      { interval: 5 },
    )
    .toEqual([]);

/** Views of each notice since a load began. */
export type Tally = ReadonlyMap<number, { sent: number; readonly views: View[] }>;

export interface Load extends AsyncDisposable {
  readonly tally: Tally;
  /** Of all notices. */
  readonly count: (status: number) => number;
  /** Resolves once so many more views have been answered with 200. */
  readonly answered: (more: number) => Promise<void>;
  /** Lets every client finish the view that it is at. */
  readonly stop: () => Promise<void>;
}

interface LoadOptions {
  /** Where to view next; clients wait for it. */
  readonly url: () => string | Promise<string>;
  readonly ids: readonly number[];
  readonly clients: number;
  /** Views a notice; never rejects. */
  readonly look?: typeof view;
}

/** Clients that view the notices in turn, one view after the other, through both APIs. */
export const startLoad = ({ url, ids, clients, look = view }: LoadOptions): Load => {
  const tally = new Map(ids.map((id) => [id, { sent: 0, views: [] as View[] }]));
  const statuses = new Map<number, number>();
  let isRunning = true;
  const waiting = new Set<() => void>();
  const count = (status: number): number => statuses.get(status) ?? 0;

  const run = async (client: number): Promise<void> => {
    for (let turn = client; isRunning; turn += 1) {
      const id = ids[turn % ids.length] ?? 0;
      const target = await url();
      const entry = tally.get(id);
      if (!entry || !isRunning) return;
      entry.sent += 1;
      const seen = await look(target, id, apiOf(client + turn));
      entry.views.push(seen);
      statuses.set(seen.status, count(seen.status) + 1);
      for (const check of waiting) check();
    }
  };
  const running = Promise.all(numbers(1, clients).map(run));
  const stop = async (): Promise<void> => {
    isRunning = false;
    await running;
  };

  return {
    tally,
    count,
    answered: (more) =>
      new Promise((resolve) => {
        const enough = count(200) + more;
        const check = (): void => {
          if (count(200) < enough) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

/** What holds whatever breaks: no number is answered twice, what was answered is stored, and nothing is counted twice. */
export const expectHonest = async (database: Pick<TestDatabase, 'sql'>, tally: Tally): Promise<void> => {
  for (const [id, entry] of tally) {
    // In this order it holds under load too.
    const answered = numbersOf(entry.views);
    const count = await stored(database, id);
    const { sent } = entry;
    expect(new Set(answered).size, `notice ${id}: each number is answered once`).toBe(answered.length);
    expect(answered.at(-1) ?? 0, `notice ${id}: the numbers that were answered are stored`).toBeLessThanOrEqual(count);
    expect(answered.length, `notice ${id}: each view that was answered is counted`).toBeLessThanOrEqual(count);
    expect(count, `notice ${id}: no view is counted twice`).toBeLessThanOrEqual(sent);
  }
};

/** What holds where nothing breaks: every view was answered, each with the next number, and all are stored. */
export const expectEachInARow = async (database: Pick<TestDatabase, 'sql'>, tally: Tally): Promise<void> => {
  for (const [id, { sent, views }] of tally) {
    expect(numbersOf(views), `notice ${id}`).toEqual(numbers(1, sent));
    expect(await stored(database, id), `notice ${id}`).toBe(sent);
  }
};
