import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { readStream } from '../support/events.ts';
import { hasHaproxy, type Instance, startHaproxy, startInstance } from '../support/haproxy.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { insertNotice } from '../support/rows.ts';

// Streams of two gateways through the proxies, each with the file that deploy/ ships.

const NOTICES = `/graphql?${new URLSearchParams({ query: 'subscription { notices { title } }' })}`;

let database: TestDatabase;
let one: Instance;
let two: Instance;
let id: number;

beforeAll(async () => {
  const started = new AsyncDisposableStack();
  database = started.use(await createTestDatabase());
  id = await insertNotice(database, { title: 'First' });
  [one, two] = await Promise.all([startInstance(database.url), startInstance(database.url)]);
  started.use(one);
  started.use(two);
  return () => started.disposeAsync();
}, 60_000);

describe.each([
  { name: 'HAProxy', isThere: hasHaproxy, start: startHaproxy },
  { name: 'nginx', isThere: hasNginx, start: startNginx },
])('through $name', ({ isThere, start }) => {
  test.skipIf(!isThere)(
    'events come one by one, streams of both gateways outlast the time-outs, and end when a gateway is restarted',
    { timeout: 120_000 },
    async () => {
      await using proxy = await start([one.address, two.address]);
      const open = async () =>
        readStream(await fetch(proxy.url + NOTICES, { headers: { accept: 'text/event-stream' } }));
      // By the fewest connections, so that both gateways have some.
      const streams = [await open(), await open(), await open(), await open()];
      const untilAllShow = (title: string) =>
        expect
          .poll(() => streams.map(({ results }) => results.at(-1)?.data.notices[0].title), { timeout: 20_000 })
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
      await expect.poll(() => streams.filter(({ isComplete }) => isComplete()).length).toBeGreaterThan(0);
      const left = streams.filter(({ isComplete }) => !isComplete());
      for (const { isOver } of left) expect(isOver()).toBe(false);
      // Who comes again is shown the list.
      const again = await open();
      await expect.poll(() => again.results[0]?.data.notices[0].title).toBe('First');
      for (const stream of [...left, again]) await stream.leave();
    },
  );
});
