import { describe, expect, test } from 'vitest';
import { type CachedResponse, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { STALE } from '../support/known-answers.ts';
import { takeAway } from '../support/outages.ts';
import { createPricedProduct, priceIn } from '../support/priced-product.ts';
import { insertNotice, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { wireTo } from '../support/wire.ts';

const POLL = { CHANGE_FEED: 'poll' };
const FRESHNESS_MS = 100;

const product = await shared(createPricedProduct());
// Polls must do without notifications.
await product.database.sql('drop trigger vitrine_notify on product; drop trigger vitrine_notify on notice');

const statusOf = ({ headers }: CachedResponse): string | undefined => headers['cache-status'];

/** Reads until well past the bound after a commit. @returns how late it was still missing, and the number of hits */
const readPast = async (gateway: TestGateway, acknowledgedMs: number, price: number) => {
  const seen = { late: [] as number[], hits: 0 };
  for (let sentMs = acknowledgedMs; sentMs - acknowledgedMs < 2 * FRESHNESS_MS; ) {
    sentMs = performance.now();
    const answer = await product.read(gateway);
    if (sentMs - acknowledgedMs >= FRESHNESS_MS && priceIn(answer) !== price) seen.late.push(sentMs - acknowledgedMs);
    if (statusOf(answer) === 'vitrine; hit') seen.hits += 1;
  }
  return seen;
};

describe('with CHANGE_FEED=poll', () => {
  test('a commit that is not notified shows within the bound, and between heartbeats responses are cached', async () => {
    await using wire = await wireTo(product.database);
    await using gateway = await createTestGateway(wire, POLL);
    let hits = 0;
    // On a busy machine there are fewer in a round.
    for (let price = 1; price <= 8 || (hits <= 80 && price <= 40); price += 1) {
      const seen = await readPast(gateway, await product.setPrice(price), price);
      expect(seen.late).toEqual([]);
      hits += seen.hits;
    }
    expect(hits).toBeGreaterThan(80);
    expect(wire.timesSent('listen')).toBe(0);
  });

  test('a table that is rewritten shows within the bound', async () => {
    await using gateway = await createTestGateway(product.database, POLL);
    await product.setPrice(3);
    await product.untilHit(gateway);
    await product.database.sql('alter table product alter column price type numeric(14,2) using price * 7');
    expect(await readPast(gateway, performance.now(), 21)).toMatchObject({ late: [] });
  });

  test('FRESHNESS_MS=0 answers nothing that was read before', async () => {
    await using gateway = await createTestGateway(product.database, { ...POLL, FRESHNESS_MS: '0' });
    for (let price = 1; price <= 50; price += 1) {
      await product.setPrice(price);
      expect(await product.readPrice(gateway)).toBe(price);
    }
  });

  test('a shared cache may keep an answer as long as with notifications', async () => {
    await using gateway = await createTestGateway(product.database, POLL);
    await product.untilHit(gateway);
    expect((await product.read(gateway)).headers['cache-control']).toBe(
      'public, max-age=1, must-revalidate, stale-while-revalidate=0',
    );
  });

  test('a notice that was written just before it starts is listed on the moment', async () => {
    await using gateway = await createTestGateway(product.database, POLL);
    for (let round = 0; round < 5; round += 1) {
      const title = `Moment ${round}`;
      const listed = async (): Promise<boolean> => (await gateway.get('/api/notice/list')).text.includes(title);
      await gateway.get('/api/notice/list');
      const startsAt = await momentFromNow(product.database, 150);
      await insertNotice(product.database, { title, starts_at: startsAt });
      for (let sinceMs = -150; sinceMs < 150; ) {
        sinceMs = await millisecondsSince(product.database, startsAt);
        const isListed = await listed();
        if (sinceMs > 50) expect(isListed, `${sinceMs} ms after`).toBe(true);
        const answeredMs = await millisecondsSince(product.database, startsAt);
        if (answeredMs < -50) expect(isListed, `${answeredMs} ms before`).toBe(false);
      }
    }
  });

  test('a table that the back office holds delays only those who ask for it', async () => {
    await using gateway = await createTestGateway(product.database, POLL);
    await product.untilHit(gateway);
    await using backOffice = await openSession(product.database);
    await backOffice.query('begin');
    await backOffice.query('lock table product in access exclusive mode');
    const heldMs = performance.now();
    while (performance.now() - heldMs < 500) expect((await gateway.get('/api/notice/list')).status).toBe(200);
    await backOffice.query('update product set price = 77');
    await backOffice.query('commit');
    await expect.poll(() => product.readPrice(gateway), { interval: 5 }).toBe(77);
    expect(gateway.logged.filter(({ msg }) => String(msg).includes('is lost'))).toEqual([]);
  });

  test('while a table is locked and the database is up, nothing older than the bound is answered', async () => {
    await using gateway = await createTestGateway(product.database, { ...POLL, DATABASE_TIMEOUT_MS: '400' });
    await product.untilHit(gateway);
    await using backOffice = await openSession(product.database);
    await product.setPrice(55);
    // The lock comes after a commit that nobody has read.
    await backOffice.query('begin');
    await backOffice.query('lock table product in access exclusive mode');
    const lockedMs = performance.now();
    const seen = new Set<unknown>();
    for (let sentMs = lockedMs; sentMs - lockedMs < 1000; ) {
      sentMs = performance.now();
      const answer = await product.read(gateway);
      if (sentMs - lockedMs >= FRESHNESS_MS) seen.add(`${answer.status} ${statusOf(answer)}`);
    }
    expect([...seen]).toEqual(['503 undefined']);
    await backOffice.query('rollback');
    expect(await product.readPrice(gateway)).toBe(55);
  });

  test('an outage is bridged by what was cached when it began, and not by what had been requested long before', async () => {
    await using gateway = await createTestGateway(product.database, { ...POLL, STALE_IF_ERROR_S: '1' });
    await gateway.get('/api/product/hot');
    const askedMs = performance.now();
    // Every answer but that one is asked for again and again.
    while (performance.now() - askedMs < 1200) await product.untilHit(gateway);
    const giveBack = await takeAway(product.database);
    try {
      await expect.poll(async () => statusOf(await product.read(gateway)), { interval: 5 }).toBe(STALE);
      expect((await gateway.get('/api/product/hot')).status).toBe(503);
      await expect.poll(async () => (await product.read(gateway)).status, { interval: 20 }).toBe(503);
    } finally {
      await giveBack();
    }
    await product.untilHit(gateway);
  });
});
