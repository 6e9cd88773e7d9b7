import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { expectHonest, numbers, numbersOf, startLoad, stored, untilGatewaysHaveGone } from '../support/views.ts';

test('what was answered is stored, and nothing twice, however often the gateway is killed under load', async () => {
  await using database = await createTestDatabase();
  const ids = await Promise.all(numbers(1, 5).map(() => insertNotice(database)));
  await using started = new AsyncDisposableStack();
  const start = async (): Promise<ServingProcess> =>
    started.use(await startGatewayProcess({ DATABASE_URL: database.url }));
  let gateway = start();
  await using load = startLoad({ url: async () => (await gateway).url, ids, clients: 30 });

  for (let kill = 0; kill < 5; kill += 1) {
    await load.answered(200);
    const { command } = await gateway;
    command.child.kill('SIGKILL');
    gateway = command.ended.then(start);
    await command.ended;
    await untilGatewaysHaveGone(database);
    await expectHonest(database, load.tally);
  }
  await load.answered(200);
  await load.stop();

  await expectHonest(database, load.tally);
  expect(load.count(0), 'views were cut off').toBeGreaterThan(0);
});

test('SIGTERM under load: what was accepted is answered, nothing else is counted, and the exit code is 0', async () => {
  await using database = await createTestDatabase();
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url });
  const ids = await Promise.all(numbers(1, 5).map(() => insertNotice(database)));
  await using load = startLoad({ url: () => gateway.url, ids, clients: 100 });

  await load.answered(1000);
  gateway.command.child.kill('SIGTERM');
  expect(await gateway.command.ended).toBe(0);
  await load.stop();

  for (const [id, { views }] of load.tally) {
    const answered = numbersOf(views);
    expect(answered).toEqual(numbers(1, answered.length));
    expect(await stored(database, id)).toBe(answered.length);
  }
  // A connection that was refused or closed before its request was read is not an answer.
  expect(load.count(200) + load.count(0)).toBe([...load.tally.values()].flatMap(({ views }) => views).length);
});
