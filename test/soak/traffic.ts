import { setTimeout as delay } from 'node:timers/promises';
import type { CommitRecord } from '../support/commit-record.ts';
import type { CachedResponse } from '../support/gateway.ts';
import { type Api, BROKEN, type Load, startLoad, type View, viewOf, viewRequest } from '../support/views.ts';
import { createHttpClient } from './http-client.ts';
import type { Instance } from './instance.ts';
import { VIEWED_IDS } from './instance.ts';
import { LISTS, OTHERS } from './requests.ts';
import { beSlow } from './slow-clients.ts';
import type { Findings } from './verdict.ts';

export const CLIENTS = { readers: 8, others: 3, slow: 6, viewers: 6 } as const;

const PAUSE_MS = { reader: 10, other: 20, viewer: 10 } as const;

/** Every so-manieth list is asked for as nobody has before. */
const UNIQUE_EVERY = 4;

interface Deps {
  readonly instances: readonly Instance[];
  readonly record: CommitRecord;
  readonly findings: Findings;
  /** A list of picks for each client. */
  readonly picks: readonly (readonly number[])[];
}

export interface Traffic {
  readonly loads: readonly Load[];
  readonly counts: { readings: number; others: number; slow: number };
  /** Lets every client finish what it is at. */
  readonly stop: () => Promise<void>;
}

/** Clients of all kinds, each at one instance, until they are stopped. What they are not answered rightly goes into the findings. */
export const startTraffic = ({ instances, record, findings, picks }: Deps): Traffic => {
  const http = createHttpClient();
  const counts = { readings: 0, others: 0, slow: 0 };
  let isRunning = true;
  let nextClient = 0;
  let unique = 0;

  const run = async (act: (instance: Instance, pick: number, turn: number) => Promise<void>): Promise<void> => {
    const client = nextClient;
    nextClient += 1;
    const instance = instances[client % instances.length];
    const own = picks[client] ?? [];
    for (let turn = 0; isRunning && instance; turn += 1) await act(instance, own[turn % own.length] ?? 0, turn);
  };

  /** The last answer that has a tag, by instance and request. */
  const known = new Map<string, { etag: string; answer: CachedResponse }>();

  const read = async (instance: Instance, pick: number, turn: number): Promise<void> => {
    await delay(PAUSE_MS.reader);
    const list = LISTS[pick % LISTS.length];
    if (!list) return;
    const isUnique = turn % UNIQUE_EVERY === 0;
    if (isUnique) unique += 1;
    const [method, target, headers, body] = list.make(isUnique ? unique : undefined);
    const key = `${instance.url} ${target} ${body}`;
    const before = isUnique ? undefined : known.get(key);
    const condition = before && pick % 2 === 0 ? { 'if-none-match': before.etag } : {};
    const sentMs = performance.now();
    const received = await http.send(instance.url, [method, target, { ...headers, ...condition }, body ?? '']);
    const receivedMs = performance.now();
    counts.readings += 1;
    if (!received) {
      if (!instance.wasDown(sentMs, receivedMs) && !record.isExcused(sentMs, receivedMs))
        findings.add('no answer', [`${method} ${target}`]);
      return;
    }
    const answer = received.status === 304 && before ? { ...before.answer, headers: received.headers } : received;
    if (received.status === 200 && received.headers.etag && !isUnique)
      known.set(key, { etag: received.headers.etag, answer: received });
    const fault = record.faultOf({ lists: list.lists, sentMs, receivedMs, answer });
    if (fault) findings.add('wrong answer', [`${method} ${target} ${body ?? ''}: ${fault}`]);
  };

  const ask = async (instance: Instance, pick: number): Promise<void> => {
    await delay(PAUSE_MS.other);
    const [status, request] = OTHERS[pick % OTHERS.length] ?? [0, ['GET', '/']];
    const sentMs = performance.now();
    const answer = await http.send(instance.url, request);
    const receivedMs = performance.now();
    counts.others += 1;
    const isExcused = record.isExcused(sentMs, receivedMs);
    const told = `${request[0]} ${request[1].slice(0, 80)} ${request[3]?.slice(0, 80) ?? ''}`;
    if (!answer) {
      // One that is refused while it still sends may not come to read why.
      if (!instance.wasDown(sentMs, receivedMs) && !isExcused && status !== 413) findings.add('no answer', [told]);
    } else if (answer.status !== status && !(answer.status === 503 && isExcused)) {
      findings.add('wrong status', [`${told}: ${answer.status}, not ${status}: ${answer.text.slice(0, 200)}`]);
    }
  };

  const dawdle = async (instance: Instance, pick: number): Promise<void> => {
    await beSlow(instance.url, pick);
    counts.slow += 1;
  };

  const look = async (url: string, id: number, api: Api = 'rest'): Promise<View> => {
    const answer = await http.send(url, viewRequest(id, api));
    return answer ? viewOf(answer.status, answer.headers['retry-after'] ?? null, answer.json) : BROKEN;
  };

  const many = (count: number, act: Parameters<typeof run>[0]): Promise<void>[] =>
    Array.from({ length: count }, () => run(act));
  const running = Promise.all([
    ...many(CLIENTS.readers, read),
    ...many(CLIENTS.others, ask),
    ...many(CLIENTS.slow, dawdle),
  ]);
  const loads = instances.map(({ url }) =>
    startLoad({
      url: () => delay(PAUSE_MS.viewer, url),
      ids: VIEWED_IDS,
      clients: CLIENTS.viewers / instances.length,
      look,
    }),
  );

  return {
    loads,
    counts,
    stop: async () => {
      isRunning = false;
      await Promise.all([running, ...loads.map((load) => load.stop())]);
      http.close();
    },
  };
};
