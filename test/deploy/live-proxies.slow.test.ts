import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { readStream } from '../support/events.ts';
import { hasHaproxy, startHaproxy, startInstance } from '../support/haproxy.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import type { ProxyProcess } from '../support/proxy-process.ts';
import { insertNotice } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

// Streams of two gateways through the proxies, each with the file that deploy/ ships.

const NOTICES = `/graphql?${new URLSearchParams({ query: 'subscription { notices { title } }' })}`;

const database = await shared(createTestDatabase());
const id = await insertNotice(database, { title: 'First' });
const [one, two] = [await shared(startInstance(database.url)), await shared(startInstance(database.url))];

const PROXIES = [
  { isThere: hasHaproxy, start: startHaproxy },
  {
    isThere: hasNginx,
    start: (addresses: readonly [string, string]) => startNginx(addresses, { CACHE: 'answers' }),
  },
].filter(({ isThere }) => isThere);

test.skipIf(PROXIES.length === 0)(
  'through HAProxy and nginx events come one by one, streams of both gateways outlast the time-outs, and end when a gateway is restarted',
  { timeout: 120_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const proxies = await Promise.all(PROXIES.map(({ start }) => start([one.address, two.address])));
    for (const proxy of proxies) stack.use(proxy);
    const open = async (proxy: ProxyProcess) =>
      readStream(await fetch(proxy.url + NOTICES, { headers: { accept: 'text/event-stream' } }));
    // By the fewest connections, so that both gateways have some of each proxy.
    const streams: ReturnType<typeof readStream>[] = [];
    for (const proxy of proxies) for (const _ of [1, 2, 3, 4]) streams.push(await open(proxy));
    const untilAllShow = (title: string) =>
      expect
        .poll(() => streams.map(({ results }) => results.at(-1)?.data.notices[0].title))
        .toEqual(streams.map(() => title));
    const rename = (title: string) => database.sql('update notice set title = $1 where id = $2', [title, id]);
    for (const title of ['One', 'Two', 'Three']) {
      await rename(title);
      await untilAllShow(title);
    }
    // Twice the time between two comments is more than the proxies wait for a response that says nothing.
    for (const { comments } of streams) await expect.poll(comments, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
    await rename('First');
    await untilAllShow('First');
    expect(streams.filter(({ isOver }) => isOver())).toEqual([]);

    await one.restart();
    for (const [index, proxy] of proxies.entries()) {
      const own = streams.slice(index * 4, index * 4 + 4);
      await expect.poll(() => own.filter(({ isComplete }) => isComplete()).length).toBeGreaterThan(0);
      const left = own.filter(({ isComplete }) => !isComplete());
      expect(left.length).toBeGreaterThan(0);
      for (const { isOver } of left) expect(isOver()).toBe(false);
      // Who comes again is shown the list.
      const again = await open(proxy);
      await expect.poll(() => again.results[0]?.data.notices[0].title).toBe('First');
      for (const stream of [...left, again]) await stream.leave();
    }
  },
);
