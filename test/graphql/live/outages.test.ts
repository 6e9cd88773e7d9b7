import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { openStream, untilShown } from '../../support/events.ts';
import { createTestGateway } from '../../support/gateway.ts';
import { STALE } from '../../support/known-answers.ts';
import { OUTAGES } from '../../support/outages.ts';
import { insertNotice, millisecondsSince, momentFromNow } from '../../support/rows.ts';
import { scrape } from '../../support/scrape.ts';
import { openSession } from '../../support/session.ts';

const NOTICES = 'subscription { notices { title } }';
const shows = (title: string) => ({ notices: [{ title }] });

/** Requests do not wait long for a database that is away. */
const ENVIRONMENT = { DATABASE_TIMEOUT_MS: '1500' };

describe('with a database', () => {
  test.for(Object.entries(OUTAGES))('%s, a stream stays open, says nothing, and catches up', async ([, begin]) => {
    await using database = await createTestDatabase();
    const id = await insertNotice(database, { title: 'Before' });
    await using outage = await begin(database);
    await using gateway = await createTestGateway(outage, ENVIRONMENT);
    const stream = await openStream(gateway, NOTICES);
    expect(stream.results).toEqual([{ data: shows('Before') }]);
    await outage.begin();
    const isAway = () => gateway.logged.some(({ msg }) => msg === 'the connection of the freshness monitor is lost');
    await expect.poll(isAway).toBe(true);
    // A listener who comes now is shown what was true when the database last answered.
    const late = await openStream(gateway, NOTICES);
    expect(late.results).toEqual([{ data: shows('Before') }]);
    expect(late.headers['cache-status']).toBe(STALE);
    await outage.end();
    await database.sql('update notice set title = $1 where id = $2', ['After', id]);
    for (const each of [stream, late]) {
      await expect.poll(() => each.results.at(-1)?.data, { timeout: 30_000 }).toEqual(shows('After'));
      expect(each.results).toHaveLength(2);
      each.leave();
    }
  });
});

test('a notice that starts while nothing can be read comes as soon as it can', async () => {
  await using database = await createTestDatabase();
  await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '300' });
  await using backOffice = await openSession(database);
  // On a busy machine the moment may come before the lock: then another is waited for, which is further away.
  for (let leadMs = 1500; ; leadMs *= 2) {
    const moment = await momentFromNow(database, leadMs);
    await database.sql('delete from notice');
    await insertNotice(database, { title: 'Starts', starts_at: moment });
    const stream = await openStream(gateway, NOTICES);
    await backOffice.query('begin; lock table notice in access exclusive mode');
    if ((await millisecondsSince(database, moment)) > 0 && leadMs < 10_000) {
      await backOffice.query('rollback');
      stream.leave();
      continue;
    }
    expect(stream.results).toEqual([{ data: { notices: [] } }]);
    const failed = async () => (await scrape(gateway)).sum('vitrine_database_statement_failures_total');
    await expect.poll(failed).toBeGreaterThan(0);
    expect(stream.results).toHaveLength(1);
    // Nothing was changed, so nothing is notified.
    await backOffice.query('rollback');
    await untilShown(stream, shows('Starts'));
    stream.leave();
    return;
  }
});

test('a notice that ended during an outage is taken from the list when the database is back', async () => {
  await using database = await createTestDatabase();
  await using outage = await OUTAGES['that refuses connections'](database);
  await using gateway = await createTestGateway(outage, ENVIRONMENT);
  await insertNotice(database, { title: 'Ends' });
  const stream = await openStream(gateway, NOTICES);
  await untilShown(stream, shows('Ends'));
  await outage.begin();
  await database.sql('update notice set ends_at = clock_timestamp()');
  await outage.end();
  await untilShown(stream, { notices: [] });
  expect(stream.results).toHaveLength(2);
  stream.leave();
});
