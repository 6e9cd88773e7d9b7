import { expect } from 'vitest';
import type { TestGateway } from './gateway.ts';
import type { Server } from './replicated-database.ts';
import { scrape } from './scrape.ts';

/** As metrics know a server. */
const nameOf = ({ url }: Pick<Server, 'url'>): string => new URL(url).host;

/** How often a server was chosen for the reads of an operation; without one, the primary. */
export const readsFrom = async (gateway: TestGateway, server?: Pick<Server, 'url'>): Promise<number> =>
  (await scrape(gateway)).sum('vitrine_operations_read_total', { server: server ? nameOf(server) : 'primary' });

/** How often a replica was passed over for this reason. */
export const passedOver = async (gateway: TestGateway, server: Pick<Server, 'url'>, reason: string): Promise<number> =>
  (await scrape(gateway)).sum('vitrine_replica_passed_over_total', { replica: nameOf(server), reason });

/** Goes on reading until a replica serves. */
export const untilReadFrom = async (
  gateway: TestGateway,
  server: Pick<Server, 'url'>,
  read: () => Promise<unknown>,
): Promise<void> => {
  const before = await readsFrom(gateway, server);
  const reads = async (): Promise<number> => {
    await read();
    return (await readsFrom(gateway, server)) - before;
  };
  await expect.poll(reads).toBeGreaterThan(0);
};

/** Goes on reading until a replica is passed over for this reason. */
export const untilPassedOver = async (
  gateway: TestGateway,
  server: Pick<Server, 'url'>,
  reason: string,
  read: () => Promise<unknown>,
): Promise<void> => {
  const before = await passedOver(gateway, server, reason);
  const times = async (): Promise<number> => {
    await read();
    return (await passedOver(gateway, server, reason)) - before;
  };
  await expect.poll(times).toBeGreaterThan(0);
};
