import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { expectHonest, numbers, startLoad, stored, view } from '../support/views.ts';
import { startLossyWire } from '../support/wire.ts';

test('commits whose replies are lost lose nothing that was answered, count nothing twice and stop nothing', async () => {
  await using database = await createTestDatabase();
  await using wire = await startLossyWire(database, 'count_views');
  await using gateway = await startGatewayProcess({ DATABASE_URL: wire.url });
  const ids = await Promise.all(numbers(1, 3).map(() => insertNotice(database)));
  await using load = startLoad({ url: () => gateway.url, ids, clients: 40 });

  await load.answered(200);
  wire.loseEvery(3);
  await expect.poll(wire.lost).toBeGreaterThanOrEqual(15);
  wire.loseEvery(0);
  await load.answered(500);
  await load.stop();

  await expectHonest(database, load.tally);
  const all = [...load.tally.values()].flatMap(({ views }) => views);
  expect(load.count(200) + load.count(503), 'every request is answered').toBe(all.length);
  expect(load.count(503), 'each lost reply is a 503').toBeGreaterThanOrEqual(15);
  expect(all.filter(({ status, retryAfter }) => status === 503 && retryAfter === null)).toEqual([]);

  const counts = await Promise.all(ids.map((id) => stored(database, id)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(total, 'the replies were lost after the commit').toBe(all.length);

  for (const [index, id] of ids.entries()) {
    expect(await view(gateway.url, id)).toMatchObject({ status: 200, number: (counts[index] ?? 0) + 1 });
  }
});
