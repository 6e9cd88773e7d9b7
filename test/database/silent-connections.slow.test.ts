import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { type CachedResponse, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { STALE } from '../support/known-answers.ts';
import { createPricedProduct, type PricedProduct, priceIn } from '../support/priced-product.ts';
import { wireTo } from '../support/wire.ts';

const BRISK = { DATABASE_TIMEOUT_MS: '1500' };

interface Asked {
  readonly sentMs: number;
  readonly tookMs: number;
  readonly answer: CachedResponse;
}

/** Asks every 25 ms until the time is over, whatever becomes of those before. */
const askFor = async ({ read }: PricedProduct, gateway: TestGateway, durationMs: number): Promise<Promise<Asked>[]> => {
  const asked: Promise<Asked>[] = [];
  for (const untilMs = performance.now() + durationMs; performance.now() < untilMs; await delay(25)) {
    const sentMs = performance.now();
    asked.push(read(gateway).then((answer) => ({ sentMs, tookMs: performance.now() - sentMs, answer })));
  }
  return asked;
};

/** The contract's 2 s, and one more for a machine that is busy with other tests. */
const MAX_WAIT_MS = 3000;

test.concurrent.for<[string, unknown]>([
  ['300', STALE],
  ['0', 503],
])(
  'a connection that falls silent is noticed, and nobody waits for 2 s: with STALE_IF_ERROR_S=%s the answer is %s',
  async ([staleS, outcome], { expect }) => {
    await using product = await createPricedProduct();
    await using wire = await wireTo(product.database);
    await using gateway = await createTestGateway(wire, { ...BRISK, STALE_IF_ERROR_S: staleS });
    await product.untilHit(gateway);
    wire.freeze();
    const acknowledgedMs = await product.setPrice(2);
    const outcomes = new Set<unknown>();
    for (const { sentMs, tookMs, answer } of await Promise.all(await askFor(product, gateway, 800))) {
      expect(tookMs).toBeLessThan(MAX_WAIT_MS);
      // Until the bound, an answer from memory may be as it was.
      if (sentMs - acknowledgedMs < 100) continue;
      outcomes.add(answer.status === 200 ? answer.headers['cache-status'] : answer.status);
    }
    expect([...outcomes]).toEqual([outcome]);
  },
);

test.concurrent.for([50, 700, 1300])(
  'one that comes back after %i ms is used again soon',
  async (silentMs, { expect }) => {
    await using product = await createPricedProduct();
    await using wire = await wireTo(product.database);
    await using gateway = await createTestGateway(wire, { ...BRISK, STALE_IF_ERROR_S: '0' });
    await product.untilHit(gateway);
    wire.freeze();
    const acknowledgedMs = await product.setPrice(2);
    const asked = await askFor(product, gateway, silentMs);
    await wire.restore();
    await expect.poll(() => product.readPrice(gateway), { timeout: MAX_WAIT_MS }).toBe(2);
    for (const { sentMs, answer } of await Promise.all(asked)) {
      if (answer.status === 200 && sentMs - acknowledgedMs > 100) expect(priceIn(answer)).toBe(2);
    }
    await product.untilHit(gateway);
  },
);

test.concurrent('those that are silent for good are replaced where new ones work', async ({ expect }) => {
  await using product = await createPricedProduct();
  await using wire = await wireTo(product.database);
  await using gateway = await createTestGateway(wire, BRISK);
  await product.untilHit(gateway);
  wire.forget();
  const acknowledgedMs = await product.setPrice(2);
  for (const { sentMs, answer } of await Promise.all(await askFor(product, gateway, 1500))) {
    const isUnmarked = answer.status === 200 && answer.headers['cache-status'] !== STALE;
    if (isUnmarked && sentMs - acknowledgedMs > 100) expect(priceIn(answer)).toBe(2);
  }
  await expect.poll(() => product.readPrice(gateway)).toBe(2);
  await product.untilHit(gateway);
  await product.setPrice(3);
  await expect.poll(() => product.readPrice(gateway)).toBe(3);
});

test.concurrent('one that is being opened again when the gateway closes is let go', async ({ expect }) => {
  await using product = await createPricedProduct();
  await using wire = await wireTo(product.database);
  const opened = (): number => wire.timesSent('application_name');
  {
    await using gateway = await createTestGateway(wire, { ...BRISK, FRESHNESS_MS: '0' });
    await product.untilHit(gateway);
    const before = opened();
    wire.freeze();
    await product.read(gateway);
    await expect.poll(opened).toBe(before + 1);
  }
  await wire.restore();
  await expect.poll(wire.connectionCount).toBe(0);
});
