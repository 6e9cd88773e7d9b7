import { expect, test } from 'vitest';
import { startGatewayProcess } from '../support/process.ts';
import { createRestartableDatabase } from '../support/restartable-database.ts';
import { expectHonest, numbers, startLoad } from '../support/views.ts';

const RECOVERY_MS = 2000;

test('what was answered survives 5 immediate restarts of the database under load, and the gateway recovers by itself', async () => {
  await using database = await createRestartableDatabase();
  const rows = await database.sql<{ id: number }>(
    `insert into notice (title, content) select 'Notice', '' from generate_series(1, 5) returning id`,
  );
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url });
  await using load = startLoad({ url: () => gateway.url, ids: rows.map(({ id }) => id), clients: 20 });
  await load.answered(200);

  for (const restart of numbers(1, 5)) {
    const refused = load.count(503);
    await database.stopAtOnce();
    await expect.poll(() => load.count(503), { interval: 5 }).toBeGreaterThan(refused);
    await database.startAgain();
    const startedMs = performance.now();
    await load.answered(1);
    expect(performance.now() - startedMs, `recovery from restart ${restart}`).toBeLessThan(RECOVERY_MS);
    await expectHonest(database, load.tally);
    await load.answered(200);
  }
  await load.stop();

  await expectHonest(database, load.tally);
  expect(load.count(0), 'every request is answered').toBe(0);
});
